"""The code on the front page runs."""

import re
import shlex
from pathlib import Path

import pytest

from bgai.interface.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)
    assert found
    return found


@pytest.mark.parametrize("code", blocks("python"))
def test_python_code_runs(code: str) -> None:
    namespace: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), namespace)
    assert "bgai" in namespace


def test_commands_exist_and_know_their_flags(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for code in blocks("sh") for line in code.splitlines() if line.strip()]
    commands = [shlex.split(line, comments=True) for line in lines]
    ours = [words[1:] for words in commands if words[0] == "bgai"]
    assert len(ours) > 5
    for name, *words in ours:
        assert name in COMMANDS
        main([name, "--help"])
        known = capsys.readouterr().out
        for flag in (word for word in words if word.startswith("--")):
            assert re.search(rf"{flag}\b", known), f"{name} {flag}"


def test_files_named_in_the_commands_exist() -> None:
    named = re.findall(r"(?:scripts|configs)/[\w./-]*\w", README)
    assert "scripts/demo" in named
    for name in named:
        assert (ROOT / name).exists(), name
