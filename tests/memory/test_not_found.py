"""Who names something that is not there is told where to look."""

from __future__ import annotations

import ast

from tests.house.sources import modules
from tkg.memory.store import _NO_TENANT


def test_every_not_found_names_a_next_step() -> None:
    found = []
    for module in modules():
        if not module.within("tkg.memory"):
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "NotFound" and node.args:
                found.append(ast.unparse(node.args[0]))
    assert len(found) > 10
    assert [one for one in found if ";" not in one and one != "_NO_TENANT"] == [] and ";" in _NO_TENANT
