"""Modules and functions stay small enough to read."""

from __future__ import annotations

import ast

from tests.house.sources import modules

MODULE_LINES = 500
FUNCTION_LINES = 70


def test_no_module_is_long() -> None:
    assert {module.path: module.lines for module in modules() if module.lines > MODULE_LINES} == {}


def test_no_function_is_long() -> None:
    long = {}
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
                lines = node.end_lineno - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long[f"{module.at(node)} {node.name}"] = lines
    assert long == {}
