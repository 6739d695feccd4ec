"""`python -m cuda_l1.prompts FOLDER`: copy the prompt templates into a folder, to read them or to change them there.

Files that are there already are left as they are. Without a folder: the names of all templates.
"""

import sys
from pathlib import Path

from cuda_l1.prompts.templates import names, shipped


def main(arguments: list[str]) -> int:
    """Copy; 2 when there is more than one argument, or the folder cannot be written to."""
    if len(arguments) > 1:
        print("usage: python -m cuda_l1.prompts [FOLDER]", file=sys.stderr)
        return 2
    if not arguments:
        print("\n".join(names()))
        return 0
    folder = Path(arguments[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names():
            if (folder / name).exists():
                print(f"{folder / name} is there already: left as it is", file=sys.stderr)
            else:
                (folder / name).write_text(shipped(name), encoding="utf-8")
    except OSError as error:
        print(f"the templates cannot be copied to {folder}: {error.strerror}", file=sys.stderr)
        return 2
    print(f"templates in {folder}: use them with --prompt-dir {folder}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
