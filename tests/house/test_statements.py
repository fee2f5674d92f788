"""Statements are constants and parameters: nothing that was pasted together reaches a database."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.house.sources import dotted, modules

RUNNERS = {"execute", "executemany", "executescript", "prepare"}


Names = dict[str, ast.expr]


def constant(node: ast.AST, names: Names, seen: frozenset[str] = frozenset()) -> bool:
    """Say whether `node` is a constant text, or such texts put together."""
    match node:
        case ast.Constant():
            return True
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return constant(left, names, seen) and constant(right, names, seen)
        case ast.Name(id=name) if name in names and name not in seen:
            return constant(names[name], names, seen | {name})
    return False


def pasted(node: ast.AST, names: Names, seen: frozenset[str] = frozenset()) -> bool:
    """Say whether the value of `node` is put together from pieces that are not constants."""
    match node:
        case ast.JoinedStr(values=values):
            return any(isinstance(value, ast.FormattedValue) for value in values)
        case ast.BinOp(op=ast.Add() | ast.Mod()):
            return not constant(node, names)
        case ast.Call(func=ast.Attribute(attr="format" | "format_map" | "join" | "replace" | "substitute")):
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return pasted(body, names, seen) or pasted(orelse, names, seen)
        case ast.Name(id=name) if name in names and name not in seen:
            return pasted(names[name], names, seen | {name})
    return False


def _assigned(statements: Iterable[ast.AST]) -> Names:
    names: Names = {}
    for node in (inner for statement in statements for inner in ast.walk(statement)):
        if isinstance(node, ast.Assign):
            names |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and isinstance(node.target, ast.Name) and node.value:
            names[node.target.id] = node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = ast.BinOp(left=node.target, op=node.op, right=node.value)
    return names


def offences(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls that run a statement which was pasted together."""
    blocks = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    top = [node for node in tree.body if not isinstance(node, blocks)]
    outer = _assigned(top)
    scopes: list[tuple[list[ast.AST], Names]] = [([*top], outer)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            taken = {arg.arg for arg in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
            free = {name: value for name, value in outer.items() if name not in taken}
            scopes.append(([*node.body], free | _assigned(node.body)))
    for statements, names in scopes:
        for node in (inner for statement in statements for inner in ast.walk(statement)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNNERS:
                given = node.args[:1] + [word.value for word in node.keywords if word.arg in {"query", "sql"}]
                if any(pasted(statement, names) for statement in given):
                    yield node


def test_no_statement_is_pasted_together() -> None:
    found = {f"{module.at(call)} {dotted(call.func)}" for module in modules() for call in offences(module.tree)}
    assert sorted(found) == []


@pytest.mark.parametrize(
    "code",
    [
        'c.execute(f"MATCH {x}")',
        'c.execute("MATCH %s" % x)',
        'c.execute("MATCH " + x)',
        'c.execute("MATCH {}".format(x))',
        'c.execute(" ".join(parts))',
        'def f(c, x):\n    text = "MATCH "\n    text += x\n    c.execute(text)',
        'def f(c, x):\n    text = f"MATCH {x}"\n    other = text\n    c.prepare(other)',
        'c.execute(query=f"MATCH {x}")',
        'A = "MATCH "\ndef f(c, A):\n    c.execute(A + "RETURN 1")',
        'class S:\n    def f(self, x):\n        self.c.execute("MATCH " + x)',
    ],
)
def test_the_probe_finds(code: str) -> None:
    assert list(offences(ast.parse(code)))


@pytest.mark.parametrize(
    "code",
    [
        'c.execute("MATCH (n {id: $id})", {"id": x})',
        'ADD = "INSERT INTO t VALUES (?)"\nc.execute(ADD, (f"{x}",))',
        'c.execute("a" "b")',
        'A = "CREATE TABLE t (x);"\ndef f(c):\n    c.executescript("BEGIN;" + A + "COMMIT;")',
        'def f(x):\n    text = f"{x}"\n    return text\ndef g(c, text):\n    c.execute(text)',
        'c.execute(statements["add"], {"text": "a" + b})',
    ],
)
def test_the_probe_lets_pass(code: str) -> None:
    assert not list(offences(ast.parse(code)))
