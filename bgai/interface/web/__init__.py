"""The web page and the JSON API, on one server. The extra `web` installs what it needs."""

from importlib.util import find_spec

PACKAGES = ("fastapi", "httptools", "pydantic", "starlette", "uvicorn")


def check_installed() -> None:
    """Refuse where the extra is not installed.

    Raises:
        ValueError: names what is missing and how to get it.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ValueError(f"this needs {', '.join(missing)}: pip install '.[web]'")
