"""installed.py: whether the packages that are installed here have what packages.py says of them.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess

import packages

DEPTH = 4  # g++ -> g++-14 -> libstdc++-14-dev -> libc6-dev


def check(owners):
    """owners: {thing: the package that has it}. Of packages that are not installed, and without dpkg, nothing is known."""
    if shutil.which("dpkg-query") is None:
        return []
    needs = dependencies()
    files = {package: files_of(package, needs) for package in set(owners.values()) if package in needs}
    return [f"tests/rules/packages.py:1: {package} is installed, and has no {thing}"
            for thing, package in owners.items() if package in files and lacks(files[package], thing)]


def lacks(files, thing):
    kind, name = thing.split(" ", 1)
    return undefined(name, files) if kind == "target" else not any(file.endswith(ends_of(thing)) for file in files)


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def dependencies():
    """{installed package: what it depends on}."""
    listed = output_of("dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Depends} ${Pre-Depends}\\n")
    words = (re.sub(r"\([^()]*\)|:\w+|[,|]", " ", line).split() for line in listed.splitlines())
    return {name: needed for status, name, *needed in words if status == "installed"}


def files_of(package, needs):
    """Its files, and those of the packages that come with it."""
    found, newest = {package}, {package}
    for _ in range(DEPTH):
        newest = {each for name in newest for each in needs[name] if each in needs} - found
        found |= newest
    return set(output_of("dpkg-query", "-L", *sorted(found)).splitlines())


@functools.cache
def ends_of(thing):
    """How the path of a file ends that is the thing."""
    kind, name = thing.split(" ", 1)
    if thing in packages.FILES:
        return packages.FILES[thing]
    if kind == "program":  # perhaps by an alternative, as awk by mawk
        return f"bin/{name}", f"bin/{os.path.basename(os.path.realpath(shutil.which(name) or name))}"
    return {"header": f"/{name}", "library": f"/lib{name}.so", "module": f"-packages/{name}/__init__.py",
            "package": (f"/{name}Config.cmake", f"/{name}-config.cmake")}[kind]


def undefined(target, files):
    """Whether no file for CMake defines the target; false for targets that come from a module of CMake itself."""
    namespace = target.split("::")[0]
    if f"package {namespace}" in packages.FILES:
        return False
    definition = re.compile(rf"add_library\({target}\s")
    near = [file for file in files if file.endswith(".cmake") and f"/{namespace.lower()}" in file.lower()]
    return not any(definition.search(pathlib.Path(file).read_text(encoding="utf-8")) for file in near)
