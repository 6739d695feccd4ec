"""What lies in a task's own folder, found by name: its files, and that folder as a package of its own name.

The folder that holds it is not among those that are searched: a candidate may not look at what else lies there.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec


class _Package(MetaPathFinder):
    """Finds the folder itself, as a package; its parts are then found in it as those of any other."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != os.path.basename(self.folder):
            return None
        file = os.path.join(self.folder, "__init__.py")
        if os.path.isfile(file):
            return importlib.util.spec_from_file_location(name, file, submodule_search_locations=[self.folder])
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [self.folder]
        return spec


def find(folder: str) -> MetaPathFinder:
    """From here on it is found; of two packages of one name what is installed comes first. Who finds the folder."""
    package = _Package(folder)
    sys.path.insert(0, folder)
    sys.meta_path.append(package)
    return package


@contextlib.contextmanager
def found(folder: str | None) -> Iterator[None]:
    """The same within this alone."""
    if folder is None:
        yield
        return
    package = find(folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        sys.meta_path.remove(package)
