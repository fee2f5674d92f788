"""The project's own files, parsed once, for the tests of the house."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: where the code of the package lies: folder -> the package it is
FOLDERS = {"tkg": "tkg", "extractors": "tkg.extractors", "queries": "tkg.queries"}


@dataclass(frozen=True)
class Module:
    """One module of the package."""

    path: str
    name: str
    lines: int
    tree: ast.Module

    def at(self, node: ast.AST) -> str:
        """Say where `node` is."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}"

    def within(self, *names: str) -> bool:
        """Say whether this is one of the modules, or lies in one of the packages, of that name."""
        return any(self.name == name or self.name.startswith(name + ".") for name in names)


@cache
def modules() -> tuple[Module, ...]:
    """Return every module of the package, in order of its path."""
    found = []
    for folder, package in FOLDERS.items():
        for file in sorted((ROOT / folder).rglob("*.py")):
            inside = file.relative_to(ROOT / folder)
            if folder == "tkg" and inside.parts[0] in FOLDERS:
                continue  # the links: these files are read where they really lie
            name = ".".join((package, *inside.with_suffix("").parts)).removesuffix(".__init__")
            text = file.read_text("utf-8")
            found.append(Module(str(file.relative_to(ROOT)), name, len(text.splitlines()), ast.parse(text, str(file))))
    return tuple(found)


def dotted(node: ast.AST) -> str:
    """Return `a.b.c` for such an expression, else the empty text."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (left := dotted(node.value)):
        return f"{left}.{node.attr}"
    return ""


def aliases(tree: ast.AST) -> dict[str, str]:
    """Return what each imported name stands for: `{"dt": "datetime.datetime"}`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                names[item.asname or item.name.split(".")[0]] = item.name if item.asname else item.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for item in node.names:
                names[item.asname or item.name] = f"{node.module}.{item.name}"
    return names


def imported(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Return each module that is imported, by a statement or by its name in `import_module`."""
    found: list[tuple[ast.AST, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node, item.name) for item in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [(node, node.module), *((node, f"{node.module}.{item.name}") for item in node.names)]
        elif isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] in {"import_module", "__import__"}:
            found += [
                (node, arg.value) for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
            ]
    return found


def references(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    """Return every `a.b.c` and imported name that the code mentions, with imports resolved."""
    names = aliases(tree)
    found: list[tuple[ast.AST, str]] = [(node, name) for node, name in imported(tree)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.Attribute, ast.Name)) and (text := dotted(node)):
            head, _, rest = text.partition(".")
            if head in names:
                found.append((node, f"{names[head]}.{rest}" if rest else names[head]))
    return found
