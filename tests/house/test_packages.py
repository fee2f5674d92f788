"""The explicit package list, the package data and the locks agree with the disk and with each other."""

from __future__ import annotations

import glob
import os
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import Any

import pytest

from tests.house.sources import FOLDERS, ROOT, imported, modules


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def _packages_on_disk() -> set[str]:
    found = set()
    for folder, package in FOLDERS.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            inside = init.parent.relative_to(ROOT / folder).parts
            if not (folder == "tkg" and inside and inside[0] in FOLDERS):
                found.add(".".join((package, *inside)))
    return found


def test_every_package_on_disk_is_listed_and_every_listed_package_exists() -> None:
    listed = _project()["tool"]["setuptools"]["packages"]
    assert set(listed) == _packages_on_disk()
    assert listed == sorted(listed)


def test_no_folder_with_code_lacks_an_init() -> None:
    without = [
        str(file.parent.relative_to(ROOT))
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
        if not (file.parent / "__init__.py").exists()
    ]
    assert without == []


@pytest.mark.parametrize("name", ["extractors", "queries"])
def test_links_lead_to_the_folders_at_the_top(name: str) -> None:
    link = ROOT / "tkg" / name
    assert link.is_symlink()
    assert os.readlink(link) == f"../{name}"


def test_every_data_file_is_shipped() -> None:
    """A file that is no module must match a pattern of package data."""
    settings = _project()["tool"]["setuptools"]
    patterns: dict[str, list[str]] = settings["package-data"]
    shipped, there = set(), set()
    for package in settings["packages"]:
        folder = ROOT / {"tkg.extractors": "extractors", "tkg.queries": "queries"}.get(
            package, package.replace(".", "/")
        )
        for pattern in patterns.get("*", []) + patterns.get(package, []):
            shipped |= {folder / name for name in glob.glob(pattern, root_dir=folder, recursive=True)}
    for top in FOLDERS:
        there |= {
            file
            for file in (ROOT / top).rglob("*")
            if file.is_file()
            and file.suffix not in {".py", ".pyc"}
            and not (top == "tkg" and file.relative_to(ROOT / top).parts[0] in FOLDERS)
        }
    assert sorted(str(file.relative_to(ROOT)) for file in there - shipped) == []


def test_everything_that_is_imported_is_declared() -> None:
    project = _project()["project"]
    declared = {_plain(re.split(r"[^\w.-]", line)[0]) for line in project["dependencies"]}
    extra = {
        "tkg.embedding": {"onnxruntime", "safetensors", "sentence-transformers", "tokenizers"},
        "tkg.extractors": {"beautifulsoup4", "openai", "pypdf", "python-docx"},
        "tkg.graph": {"ladybug"},
        "tkg.memory.provenance": {"prov"},
        "tkg.plot": {"matplotlib"},
        "tkg.testing": {"hypothesis", "pytest"},
    }
    owners = {top: {_plain(name) for name in names} for top, names in packages_distributions().items()}
    missing = []
    for module in modules():
        may = declared.union(*(names for room, names in extra.items() if module.within(room)))
        for node, name in imported(module.tree):
            top = name.split(".")[0]
            if top != "tkg" and top not in sys.stdlib_module_names and not owners.get(top, {_plain(top)}) & may:
                missing.append(f"{module.at(node)} {top}")
    assert sorted(set(missing)) == []


def _pins(lock: str) -> dict[str, set[str]]:
    pins: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9_.-]+)==([^\s;]+)", (ROOT / lock).read_text("utf-8"), re.MULTILINE):
        pins.setdefault(_plain(name), set()).add(version)
    return pins


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize(
    ("lock", "extras"), [("requirements.lock", ["ladybug"]), ("requirements-dev.lock", ["ladybug", "dev"])]
)
def test_the_lock_holds_every_dependency_with_hashes_and_names_no_place(lock: str, extras: list[str]) -> None:
    project = _project()["project"]
    wanted = project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    pins = _pins(lock)
    for line in wanted:
        name, exact = re.match(r"([A-Za-z0-9_.-]+)(?:==(\S+))?", line).groups()  # type: ignore[union-attr]
        assert _plain(name) in pins, f"{lock} lacks {name}: run 'make lock'"
        assert exact is None or pins[_plain(name)] == {exact}, f"{lock} has another {name}: run 'make lock'"
    text = (ROOT / lock).read_text("utf-8")
    assert not re.search(r"://|^\s*--(?!hash=sha256:)|^-|file:", text, re.MULTILINE)
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_the_two_locks_agree() -> None:
    run, dev = _pins("requirements.lock"), _pins("requirements-dev.lock")
    assert {name: versions for name, versions in run.items() if dev.get(name) != versions} == {}
