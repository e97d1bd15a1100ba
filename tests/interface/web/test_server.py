import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from bgai import load_bot
from bgai.interface.bot import Bot
from bgai.interface.warm_up import NOTICE
from bgai.interface.web.server import serve_api
from tests.interface.conftest import Bgai


def bot_of_the_first_process_only() -> Bot:
    if multiprocessing.parent_process() is not None:
        os._exit(3)
    return load_bot("flagship")


def test_a_worker_that_ends_while_it_starts_ends_the_server_with_one_line() -> None:
    with pytest.raises(ChildProcessError, match="a worker ended while it was starting"):
        serve_api(bot_of_the_first_process_only, port=0, workers=2)


def test_at_least_one_worker_answers() -> None:
    with pytest.raises(ValueError, match="at least 1 worker is needed, got 0"):
        serve_api(bot_of_the_first_process_only, port=0, workers=0)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups")
@pytest.mark.parametrize("has_answered", [False, True])
@pytest.mark.parametrize("command", ["play --web --no-browser", "serve http --workers 2"])
def test_ctrl_c_ends_all_processes_without_a_word(
    race_bot: str, command: str, has_answered: bool
) -> None:
    words = [sys.executable, "-m", "bgai", *command.split(), "--bot", race_bot, "--port", "0"]
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of its own, all of which a terminal's Ctrl-C reaches
    )
    try:
        assert process.stdout is not None
        address = re.search(r"http://\S+/", process.stdout.readline())
        assert address is not None
        if has_answered:
            with urllib.request.urlopen(f"{address[0]}api/dice", timeout=60) as answer:
                assert answer.status == 200
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)  # the workers hold its end as well
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.replace(NOTICE, "").strip() == ""


@pytest.mark.parametrize("command", ["play --web --no-browser", "serve http"])
def test_a_taken_port_is_one_line_that_says_how_to_choose_another(
    bgai: Bgai, race_bot: str, command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = bgai(*command.split(), "--bot", race_bot, "--port", str(port))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"bgai: 127.0.0.1 port {port}: ") and "--port N" in err
