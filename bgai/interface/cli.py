"""The command `bgai`: finds the subcommand, runs it, and turns errors into one line.

The exit code of every command is 0 if it did what was asked; 2 if what was asked is wrong: an
option, a position, a file or folder that it names and that is missing, damaged or closed to us, a
package that is not installed; 1 if the work then failed (a full disk, an address that is taken) or
a check found something wrong; 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import errno
import os
import re
import socket
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NoReturn, Protocol, cast

COMMANDS = {
    "train": "train a net by self-play",
    "generate": "label positions of a net's own games with better values than its own",
    "fit": "teach a net from such labels",
    "evaluate": "let two players meet and measure the difference",
    "export": "turn a checkpoint into a bot that plays without torch",
    "play": "play against a bot in the terminal",
    "hint": "rank the plays of a position, or decide the cube",
    "serve": "let GNU Backgammon and other programs play a bot",
    "endgame": "build or check the tables of exact endgames",
}
"""Each command's name and what it does; the module of that name is imported only when asked for."""

TRAINING_PACKAGES = ("torch", "onnx", "tensorboard")
"""What the extra `train` adds; playing does without."""

EXIT_FAILURE, EXIT_MISUSE, EXIT_INTERRUPTED = 1, 2, 130

MISUSES = (
    ValueError,
    FileNotFoundError,
    FileExistsError,
    IsADirectoryError,
    NotADirectoryError,
    PermissionError,
    socket.gaierror,  # no host of that name
)
"""What was asked was wrong; other errors of the operating system are failures."""

HELP = "\n".join(
    [
        "Example:",
        "  bgai play",
        "",
        "Backgammon that teaches itself.",
        "",
        "Commands:",
        *(f"  {name:<10}{summary}" for name, summary in COMMANDS.items()),
        "",
        "`bgai COMMAND --help` explains one.",
    ]
)


class Command(Protocol):
    """What a module of `bgai.interface.commands` offers."""

    HELP: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """A parser whose help starts with an example and whose errors are `ValueError`s."""

    def __init__(self, name: str, help_text: str) -> None:
        super().__init__(name, allow_abbrev=False)
        # no option begins with a digit, so `--away -1,3` is a value to complain about, as -1 is
        self._negative_number_matcher = re.compile(r"-[0-9.]")
        self._help_text = help_text.strip()

    def format_help(self) -> str:
        return f"{self._help_text}\n\n{super().format_help()}"

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see `{self.prog} --help`)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; those of this process if None.

    Returns:
        The exit code. With `BGAI_DEBUG` in the environment errors are raised instead.
    """
    try:
        code = _run(sys.argv[1:] if argv is None else list(argv))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # the reader (`| head`) has gone; keep the interpreter's own flush at exit silent too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILURE
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return EXIT_INTERRUPTED
    except ModuleNotFoundError as error:
        if error.name not in TRAINING_PACKAGES or "BGAI_DEBUG" in os.environ:
            raise
        print(
            f"bgai: this needs {error.name}: install the CPU build of torch first if there is no "
            "GPU, then pip install '.[train]'",
            file=sys.stderr,
        )
        return EXIT_MISUSE
    except (ValueError, OSError) as error:
        if "BGAI_DEBUG" in os.environ:
            raise
        print(f"bgai: {_one_line(error)}", file=sys.stderr)
        return EXIT_MISUSE if isinstance(error, MISUSES) else EXIT_FAILURE


def _run(argv: list[str]) -> int:
    parser = _Parser("bgai", HELP)
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    parser.usage = "bgai [--help] [--version] COMMAND ..."
    # everything after the command's name belongs to the command, its --help included
    own = next((i for i, word in enumerate(argv) if not word.startswith("-")), len(argv)) + 1
    try:
        args = parser.parse_args(argv[:own])
        if args.version:
            print(f"bgai {_version()}")
            return 0
        if args.command is None:
            raise ValueError(f"a command is needed: {', '.join(COMMANDS)} (see `bgai --help`)")
        return _run_command(args.command, argv[own:])
    except SystemExit as stop:  # argparse, after it has printed the help
        return int(stop.code or 0)


def _run_command(name: str, argv: list[str]) -> int:
    if name not in COMMANDS:
        raise ValueError(f"no command {name!r}; there are {', '.join(COMMANDS)}")
    command = cast(Command, import_module(f"bgai.interface.commands.{name}"))
    parser = _Parser(f"bgai {name}", command.HELP)
    command.add_arguments(parser)
    return command.run(parser.parse_args(argv))


def _version() -> str:
    import bgai

    return bgai.__version__


def _one_line(error: ValueError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        text = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        if error.errno == errno.EADDRINUSE:
            text += " (--port N takes another port, and 0 one that is free)"
    else:
        text = str(error)
    return " ".join(text.split())
