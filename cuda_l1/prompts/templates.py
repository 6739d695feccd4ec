"""The words of every prompt: `prompt_templates/*.md`, or a user's own files of the same names.

A template's `$fields` are filled; a line whose fields are all empty is left out, and so is the blank line behind it.
A file of sections (phrases, languages, findings) holds one piece of text under each `## name`; sections that a user's
file lacks are taken from ours. Text that a candidate or a compiler wrote goes through `fenced` or `one_line`.
NOT covered: what is said of which candidate (`told`, `failures`), and what fits (`budget`).
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from string import Template

from cuda_l1 import foreign
from cuda_l1.errors import ConfigError

_SHIPPED = resources.files("cuda_l1") / "prompt_templates"
_SECTION = re.compile(r"^## (\w+)[ \t]*$", re.MULTILINE)
_LONGEST_LINE = 160


class Templates:
    """Ours, or the user's own from `folder`, file by file. ConfigError for a folder with files that are no template."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._texts: dict[str, str] = {}
        if folder is None:
            return
        if not folder.is_dir():
            raise ConfigError(
                f"prompt folder {folder} does not exist: create it, or leave it out to use the templates shipped"
            )
        known = names()
        unknown = sorted(path.name for path in folder.glob("*.md") if path.name not in (*known, "README.md"))
        if unknown:
            raise ConfigError(f"{folder / unknown[0]} replaces no template: there are {', '.join(known)}")

    def fill(self, name: str, /, **values: str) -> str:
        """The template with its fields filled. ConfigError for a field that it does not know."""
        return self._filled(self._read(name), name, values)

    def phrase(self, key: str, /, **values: str) -> str:
        """A section of phrases.md, filled."""
        return self.section("phrases.md", key, **values)

    def section(self, name: str, key: str, /, **values: str) -> str:
        """A section of a file of sections, filled."""
        return self._filled(self.sections(name)[key], f"{name}, section {key}", values)

    def sections(self, name: str) -> dict[str, str]:
        """All sections of such a file. ConfigError when a user's file has one that is never shown."""
        ours, own = _sections(shipped(name)), _sections(self._read(name))
        unknown = sorted(set(own) - set(ours))
        if unknown:
            raise ConfigError(
                f"prompt template {self._source(name)}: no section is called {unknown[0]}: {', '.join(ours)}"
            )
        return ours | own

    def _read(self, name: str) -> str:
        if name not in self._texts:
            own = self.folder / name if self.folder else None
            try:
                self._texts[name] = own.read_text(encoding="utf-8-sig") if own and own.is_file() else shipped(name)
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(f"prompt template {own} does not read: {error}") from None
        return self._texts[name]

    def _source(self, name: str) -> str:
        own = self.folder / name.partition(",")[0] if self.folder else None
        return f"{self.folder}/{name}" if own and own.is_file() else name

    def _filled(self, text: str, name: str, values: dict[str, str]) -> str:
        try:
            return Template(_without_empty_lines(text, values)).substitute(values).strip()
        except (KeyError, ValueError) as error:
            known = ", ".join(f"${key}" for key in values) or "none"
            raise ConfigError(
                f"prompt template {self._source(name)}: {error}; known fields: {known}; write $$ for a dollar sign"
            ) from None


def names() -> list[str]:
    """All templates there are."""
    return sorted(file.name for file in _SHIPPED.iterdir() if file.name.endswith(".md"))


def shipped(name: str) -> str:
    """A template of ours."""
    return (_SHIPPED / name).read_text(encoding="utf-8")


def fenced(text: str, language: str = "python") -> str:
    """The text in a fence longer than any that it contains once nothing is left out of it any more."""
    text = foreign.printable(text)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.strip()}\n{fence}"


def one_line(text: str) -> str:
    """The text on one line, without backticks and what cannot be printed, and not too long."""
    return foreign.one_line(text, _LONGEST_LINE).replace("`", "'")


def _sections(text: str) -> dict[str, str]:
    parts = _SECTION.split(text)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def _without_empty_lines(text: str, values: dict[str, str]) -> str:
    kept: list[str] = []
    dropped = False
    for line in text.splitlines():
        fields = [match["named"] or match["braced"] for match in Template.pattern.finditer(line)]
        if fields and all(values.get(field) == "" for field in fields):
            dropped = True
        elif line.strip() or not (dropped and (not kept or not kept[-1].strip())):
            kept.append(line)
            dropped = False
    return "\n".join(kept)
