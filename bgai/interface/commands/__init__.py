"""One module per command, with `HELP`, `add_arguments(parser)` and `run(args) -> exit code`.

`HELP` starts with an example. A user's mistake is a `ValueError`, a failing file or disk an
`OSError`: the command line turns each into one line. A module imports what its command needs
inside `run`, so that `bgai --help` and `bgai play` start without torch.
"""
