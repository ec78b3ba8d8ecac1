"""The program opsrun as a command of a Python environment, and the folders of plugins.

Packages declare plugins by entry points of the group "opsrun.plugins". An entry point names a folder of a package:
`my_ops = my_ops`, or `my_ops = my_ops:plugins` for a folder below it. Nothing is imported to find them: importing
importlib.metadata alone would take longer than a run of the program opsrun.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import sys

_GROUP = "opsrun.plugins"


def prefix() -> str:
    """The folder with bin, lib and share, laid out as in an install."""
    here = os.path.dirname(os.path.abspath(__file__))
    return here if os.path.isdir(os.path.join(here, "bin")) else os.path.dirname(os.path.dirname(here))


def program() -> str:
    """The path of the program."""
    return os.path.join(prefix(), "bin", "opsrun")


def environment() -> dict[str, str]:
    """The environment in which the program also finds the plugins of other packages."""
    packaged = _packaged()
    if not packaged:
        return dict(os.environ)
    path = [os.environ["OPSRUN_PLUGIN_PATH"]] if os.environ.get("OPSRUN_PLUGIN_PATH") else []
    return {**os.environ, "OPSRUN_PLUGIN_PATH": os.pathsep.join(path + packaged)}


def main() -> None:
    """Replaces this process by the program."""
    os.execve(program(), [program(), *sys.argv[1:]], environment())


def plugin_path() -> list[str]:
    """Where to search for plugins if packages declare some: the user's directories, then theirs. Otherwise empty."""
    packaged = _packaged()
    of_user = [path for path in os.environ.get("OPSRUN_PLUGIN_PATH", "").split(":") if os.path.isdir(path)]
    return of_user + packaged if packaged else []


def _packaged() -> list[str]:
    """The folders of packages, sorted by name. For equal names, the first on sys.path is used.

    Relative entries are skipped: files in the current folder are not installed.
    """
    found: dict[str, str] = {}
    places = list(dict.fromkeys(path for path in sys.path if os.path.isabs(path)))
    for place in places:
        for name, folder in _entries(place):
            directory = next((path for path in (os.path.join(each, folder) for each in [place, *places])
                              if os.path.isdir(path)), None)
            if directory is not None:
                found.setdefault(name, os.path.abspath(directory))
    return [found[name] for name in sorted(found)]


def _entries(place: str) -> list[tuple[str, str]]:
    """The names of distributions in a folder that have such entry points, each with its folder."""
    entries: list[tuple[str, str]] = []
    try:
        metadata = sorted(name for name in os.listdir(place) if name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return entries
    for name in metadata:
        try:
            with open(os.path.join(place, name, "entry_points.txt"), encoding="utf-8") as file:
                entries += _parse(file.read())
        except (OSError, UnicodeDecodeError):
            continue
    return entries


def _parse(text: str) -> list[tuple[str, str]]:
    entries = []
    group = ""
    for line in (each.strip() for each in text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group == _GROUP and "=" in line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            module, _, below = target.partition(":")
            words = [*module.strip().split("."), *(word for word in below.strip().split(".") if word)]
            if all(word.isidentifier() for word in words):
                entries.append((name.strip(), os.path.join(*words)))
    return entries
