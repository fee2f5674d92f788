"""Making a store and its tenants on a disk that will not have it: an error with a code, and nothing half made."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import tkg
from tkg.memory import directory


@pytest.mark.parametrize(
    ("number", "code"),
    [(errno.ENOSPC, "disk_full"), (errno.EROFS, "invalid_request"), (errno.EIO, "damaged"), (errno.EMFILE, "busy")],
)
@pytest.mark.parametrize("call", ["mkdir", "replace"])
def test_a_tenant_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, code: str
) -> None:
    with tkg.open(tmp_path / "store", engine="memory") as memory:

        def fails(*_: object, **__: object) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(*((Path, "mkdir") if call == "mkdir" else (directory.os, "replace")), fails)
        with pytest.raises(tkg.TkgError) as caught:
            memory.create_tenant("acme")
        assert caught.value.code == code
        monkeypatch.undo()
        assert memory.tenants() == [] and not memory.exists("acme")
        memory.create_tenant("acme")
        assert memory.tenants() == ["acme"] and memory.verify("acme").ok


def test_a_new_tenant_is_on_disk_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power cut it is there: the folder it was renamed in is synced, last."""
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        synced: list[Path] = []
        monkeypatch.setattr(directory, "sync_folder", synced.append)
        memory.create_tenant("acme")
        assert synced == [tmp_path / "store" / "tenants"]


def test_a_store_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(directory, "write_whole", full)
    with pytest.raises(tkg.TkgError) as caught:
        tkg.open(tmp_path / "store", engine="memory")
    assert caught.value.code == "disk_full"
    monkeypatch.undo()
    with tkg.open(tmp_path / "store", engine="memory") as memory:
        assert memory.tenants() == []
