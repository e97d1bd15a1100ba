"""The table of who may import whom, kept true by reading every import in the package."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "bgai"

MAY_IMPORT: dict[str, set[str]] = {
    "engine": set(),
    "match": {"engine"},
    "cube": {"engine", "match"},
    "endgame": {"engine"},
    "search": {"engine", "match", "cube", "endgame"},
    "model": {"engine", "endgame"},
    "training": {"engine", "endgame", "search", "model"},
    "evaluation": {"engine", "match", "cube", "search", "endgame"},
    "interface": {
        "engine",
        "match",
        "cube",
        "endgame",
        "search",
        "model",
        "training",
        "evaluation",
    },
}

# libraries that only some parts may import; all others may be used by every part but the inner ones
ONLY_IN: dict[str, set[str]] = {
    "torch": {"model", "training"},
    "onnx": {"model"},
    "onnxruntime": {"interface"},
    "numba": {"engine", "cube", "endgame", "search", "model"},
}
INNER_LIBRARIES = {"numpy", "numba"}
INNER = ("engine", "match", "cube", "endgame", "search")


class Import(NamedTuple):
    """An import statement: where it stands, what it names, and whether it runs at import time."""

    file: str
    line: int
    part: str  # the folder of bgai it stands in, empty for bgai itself
    module: str
    is_lazy: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def imports_of(file: Path) -> Iterator[Import]:
    """Every module a file names in an import, in functions and type checking blocks too."""
    relative = file.relative_to(PACKAGE)
    part = relative.parts[0] if len(relative.parts) > 1 else ""
    package = ("bgai", *relative.parts[:-1])

    def visit(node: ast.AST, is_lazy: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            lazy = is_lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            lazy = lazy or (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test))
            for module in modules_named(child, package):
                yield Import(f"bgai/{relative}", child.lineno, part, module, lazy)  # type: ignore[attr-defined]
            yield from visit(child, lazy)

    return visit(ast.parse(file.read_text(), str(file)), False)


def modules_named(node: ast.AST, package: tuple[str, ...]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else ()
        module = ".".join((*base, node.module) if node.module else base)
        # `from bgai import engine` names a part, too
        return [f"bgai.{alias.name}" for alias in node.names] if module == "bgai" else [module]
    return []


ALL_IMPORTS = [found for file in sorted(PACKAGE.rglob("*.py")) for found in imports_of(file)]


def part_named(module: str) -> str:
    """The folder of bgai that a module lies in, else empty."""
    names = module.split(".")
    return names[1] if names[0] == "bgai" and len(names) > 1 and names[1] in MAY_IMPORT else ""


def broken(rule_breakers: list[Import]) -> str:
    return "\n".join(map(str, rule_breakers))


def test_every_folder_of_the_package_stands_in_the_table() -> None:
    folders = {file.relative_to(PACKAGE).parts[0] for file in PACKAGE.glob("*/**/*.py")}
    assert folders <= set(MAY_IMPORT), f"not in the table: {folders - set(MAY_IMPORT)}"
    assert {"engine", "search"} <= folders, "the walk has found the package"


def test_the_parts_import_inwards_only() -> None:
    wrong = [
        found
        for found in ALL_IMPORTS
        if found.part and part_named(found.module) not in ("", found.part, *MAY_IMPORT[found.part])
    ]
    assert not wrong, broken(wrong)


def test_nothing_imports_the_interface_but_the_package_itself_on_demand() -> None:
    wrong = [
        found
        for found in ALL_IMPORTS
        if part_named(found.module) == "interface"
        and found.part != "interface"
        and found.file != "bgai/__main__.py"
        and not (found.file == "bgai/__init__.py" and found.is_lazy)
    ]
    assert not wrong, broken(wrong)


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_heavy_library_is_used_in_its_own_parts_only(library: str) -> None:
    wrong = [
        found
        for found in ALL_IMPORTS
        if found.module.split(".")[0] == library and found.part not in ONLY_IN[library]
    ]
    assert not wrong, broken(wrong)


def test_the_inner_parts_need_numpy_and_numba_only() -> None:
    allowed = {*sys.stdlib_module_names, *INNER_LIBRARIES, "bgai"}
    wrong = [
        found
        for found in ALL_IMPORTS
        if found.part in INNER and found.module.split(".")[0] not in allowed
    ]
    assert not wrong, broken(wrong)


def test_choosing_a_play_loads_neither_torch_nor_onnxruntime() -> None:
    program = (
        "import sys, bgai, bgai.engine, bgai.search\n"
        "print([name for name in ('torch', 'onnxruntime') if name in sys.modules])"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert finished.stdout.strip() == "[]"
