"""The shell scripts: they parse, they can be started, and they refuse what they must."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELL_SCRIPTS = ["scripts/setup", "scripts/test", "scripts/demo", ".ci/run"]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


def run_setup(
    folder: Path, *words: str, silent: str = "20", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a copy of scripts/setup in a folder of its own, so that no .venv is touched.

    Args:
        silent: the seconds after which a line says what pip is doing.
    """
    scripts = folder / "scripts"
    scripts.mkdir()
    copy = scripts / "setup"
    text = (ROOT / "scripts/setup").read_text(encoding="utf-8")
    copy.write_text(text.replace("SECONDS_SILENT=20", f"SECONDS_SILENT={silent}"), encoding="utf-8")
    shutil.copy2(ROOT / "pyproject.toml", folder / "pyproject.toml")
    return subprocess.run(
        ["bash", str(copy), *words],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("script", SHELL_SCRIPTS)
def test_bash_can_parse_the_script(script: str) -> None:
    parsed = subprocess.run(
        ["bash", "-n", str(ROOT / script)], capture_output=True, text=True, check=False
    )
    assert parsed.returncode == 0, parsed.stderr


@pytest.mark.parametrize("script", SHELL_SCRIPTS)
def test_the_script_is_executable_and_stops_at_the_first_error(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
    assert "\nset -euo pipefail\n" in (ROOT / script).read_text(encoding="utf-8")


def test_a_python_that_is_too_old_is_named_in_a_sentence(tmp_path: Path) -> None:
    old = tmp_path / "python3.8"
    old.write_text(
        '#!/bin/sh\nif [ "$1" = --version ]; then echo Python 3.8.1; else exit 1; fi\n',
        encoding="utf-8",
    )
    old.chmod(0o755)
    ended = run_setup(tmp_path, "train", PYTHON=str(old))
    assert ended.returncode == 1
    assert "Python 3.11 or later is needed, and this machine has: Python 3.8.1." in ended.stderr


def test_a_missing_python_is_named_in_a_sentence(tmp_path: Path) -> None:
    ended = run_setup(tmp_path, "train", PYTHON=str(tmp_path / "nowhere"))
    assert ended.returncode == 1
    assert "none of these commands exists" in ended.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_python_without_venv_is_told_what_to_install(tmp_path: Path) -> None:
    bare = tmp_path / "python3"
    bare.write_text(
        '#!/bin/sh\ncase "$*" in *ensurepip*) exit 1;; esac\nexit 0\n', encoding="utf-8"
    )
    bare.chmod(0o755)
    ended = run_setup(tmp_path, "train", PYTHON=str(bare))
    assert ended.returncode == 1
    assert "apt-get install python3-venv" in ended.stderr


def test_setup_with_an_unknown_option_says_the_usage(tmp_path: Path) -> None:
    ended = run_setup(tmp_path, "--fast")
    assert ended.returncode == 1
    assert "usage: scripts/setup [EXTRA...] [--optional EXTRA...]" in ended.stderr


@pytest.mark.parametrize("words", [[], ["--optional", "sage"]])
def test_setup_without_an_extra_installs_what_training_and_the_page_need(
    tmp_path: Path, words: list[str]
) -> None:
    asked = tmp_path / "asked.txt"
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$@" >>"{asked}"\n', encoding="utf-8")
    python.chmod(0o755)
    ended = run_setup(tmp_path, *words)
    assert ended.returncode == 0, ended.stderr
    installed = asked.read_text(encoding="utf-8")
    assert "--editable .[train,web]" in installed
    assert ("--editable .[sage]" in installed) == bool(words)


def test_setup_says_while_pip_works_what_it_does(tmp_path: Path) -> None:
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        '#!/bin/sh\ncase "$*" in *editable*) echo Downloading a wheel; sleep 4;; esac\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    ended = run_setup(tmp_path, "web", silent="1")
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"^setup: at work for \d+ s: Downloading a wheel$", ended.stdout, re.MULTILINE)
    assert ended.stdout.count("\n") <= 6, "no flood"
    assert ended.stderr == "", "nothing of the job that is stopped"


def test_the_demo_installs_what_the_page_needs() -> None:
    demo = (ROOT / "scripts/demo").read_text(encoding="utf-8")
    assert "\nscripts/setup train web\n" in demo, "the README goes on with `bgai play --web`"
