"""What holds for all tests."""

import signal

# a run that was begun in the background ignores Ctrl-C, and so would every program it starts
signal.signal(signal.SIGINT, signal.default_int_handler)
