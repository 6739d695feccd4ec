"""What a candidate leaves in its folder is removed, whatever it is."""

import os
from pathlib import Path

from cuda_l1.sandbox.removal import remove


def test_folders_within_folders_are_removed_however_deep(tmp_path: Path) -> None:
    folder, here = tmp_path / "left", os.getcwd()
    folder.mkdir()
    os.chdir(folder)
    for _ in range(3000):  # as a path that would be too long for the system
        os.mkdir("within")
        os.chdir("within")
    Path("deepest").write_text("")
    os.chdir(here)
    remove(folder)
    assert not folder.exists()


def test_folders_that_nobody_may_read_are_removed(tmp_path: Path) -> None:
    inner = tmp_path / "left" / "shut" / "inner"
    inner.mkdir(parents=True)
    (inner / "file").write_text("")
    for each in (inner, inner.parent, inner.parent.parent):
        each.chmod(0)
    remove(tmp_path / "left")
    assert not (tmp_path / "left").exists()


def test_what_a_link_leads_to_stays(tmp_path: Path) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "left"
    kept.mkdir()
    (kept / "file").write_text("")
    folder.mkdir()
    (folder / "link").symlink_to(kept)
    os.mkfifo(folder / "pipe")
    (tmp_path / "top").symlink_to(kept)
    remove(folder)
    remove(tmp_path / "top")
    assert not folder.exists()
    assert (kept / "file").exists()
