"""Who may touch what: the environment, the clock, chance, the drivers; and what nobody touches."""

from __future__ import annotations

import ast
import re
import subprocess

import pytest

from tests.house.sources import ROOT, aliases, dotted, imported, modules, references

#: what -> (pattern over resolved names, modules that may)
CONFINED = {
    "the environment": (r"os\.(environb?|getenvb?|putenv|unsetenv)(\.|$)", ("tkg.cli",)),
    "the wall clock": (
        r"datetime\.(datetime\.(now|utcnow|today)|date\.today)$|time\.(time|time_ns|localtime|gmtime|ctime)$",
        ("tkg.clock",),
    ),
    "chance": (r"(uuid|secrets|random|numpy\.random)(\.|$)|os\.urandom$", ("tkg.ids",)),
    "the graph drivers": (r"(kuzu|ladybug)(\.|$)", ("tkg.graph.kuzu",)),
    "unsafe loading": (
        r"(pickle|cPickle|_pickle|dill|cloudpickle|shelve|marshal)(\.|$)|yaml\.(unsafe|full)_load(_all)?$|yaml\.(\w*Unsafe|Full|C)?Loader$",
        (),
    ),
}


def _offences(pattern: str, allowed: tuple[str, ...]) -> list[str]:
    return sorted(
        {
            f"{module.at(node)} {name}"
            for module in modules()
            if not module.within(*allowed)
            for node, name in references(module.tree)
            if re.match(pattern, name)
        }
    )


@pytest.mark.parametrize("what", CONFINED)
def test_is_touched_only_where_it_may(what: str) -> None:
    assert _offences(*CONFINED[what]) == []


@pytest.mark.parametrize(
    ("what", "code"),
    [
        ("the environment", "import os\nos.environ['X']"),
        ("the environment", "from os import getenv\ngetenv('X')"),
        ("the wall clock", "from datetime import datetime\ndatetime.now()"),
        ("the wall clock", "import datetime as dt\ndt.datetime.utcnow()"),
        ("the wall clock", "import time\ntime.time()"),
        ("chance", "from uuid import uuid4\nuuid4()"),
        ("chance", "import random"),
        ("the graph drivers", "import importlib\nimportlib.import_module('ladybug')"),
        ("unsafe loading", "import pickle"),
        ("unsafe loading", "import yaml\nyaml.load(text, Loader=yaml.Loader)"),
    ],
)
def test_the_probe_finds(what: str, code: str) -> None:
    assert any(re.match(CONFINED[what][0], name) for _, name in references(ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["clock.now()", "import time\ntime.monotonic()", "from datetime import datetime\ndatetime.max"]
)
def test_the_probe_lets_pass(code: str) -> None:
    assert not any(re.match(CONFINED["the wall clock"][0], name) for _, name in references(ast.parse(code)))


def test_nothing_evaluates_text_or_starts_a_shell() -> None:
    found = []
    for module in modules():
        own = {node.name for node in ast.walk(module.tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        builtins = {"eval", "exec", "compile"} - own - aliases(module.tree).keys()
        found += [
            f"{module.at(node)} {node.func.id}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in builtins
        ]
        # acceptance cases kill and restart processes; a graph that may be damaged is looked at in another
        # process; git is asked for what a source says now
        if not module.within("tkg.conform", "tkg.graph.guard", "tkg.memory.fetching"):
            found += [f"{module.at(node)} {name}" for node, name in imported(module.tree) if name == "subprocess"]
        found += [
            f"{module.at(node)} shell"
            for node in ast.walk(module.tree)
            if (isinstance(node, ast.keyword) and node.arg == "shell")
            or (isinstance(node, ast.Attribute) and dotted(node) in {"os.system", "os.popen"})
        ]
    assert found == []


def test_a_verb_that_does_not_exist_yet_is_absent() -> None:
    found = [
        module.at(node)
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and node.id == "NotImplementedError"
    ]
    assert found == []


def test_no_committed_file_names_a_path_of_somebodys_machine() -> None:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip("not a git work tree")
    personal = re.compile(rb"(?<![\w.$}/])/(home|root|Users|work)/\w")
    found = []
    for name in filter(None, listing.stdout.decode().split("\0")):
        file = ROOT / name
        if (
            file.is_file()
            and not file.is_symlink()
            and "tests/house" not in name
            and personal.search(file.read_bytes())
        ):
            found.append(name)
    assert found == []
