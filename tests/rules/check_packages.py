"""check_packages.py: scripts/setup installs the packages that the build, the scripts and the tests need, and no others.

usage: check_packages.py ROOT

Where all of them are installed, nobody notices that one is missing from scripts/setup. So this rule reads what is looked
for (looked_for.py), and compares it with what the packages have (packages.py). Where Debian's packages are installed, it
also compares that list with their files.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import os
import pathlib
import re
import shutil
import subprocess

import looked_for
import packages
import tree

SETUP = "scripts/setup"
DEPTH = 4  # g++ -> g++-14 -> libstdc++-14-dev -> libc6-dev
ARRAY = re.compile(r"(?m)^(to_run|to_test)=\(([^()]*)\)")
# What builds and runs opsrun, without a test.
TO_RUN = ("CMakePresets.json", "host/CMakeLists.txt", "sdk/CMakeLists.txt", "scripts/build:", "scripts/run:")


def of_setup(root):
    """{"to_run": [package, ...], "to_test": ...}, and the commands by which some of them are found."""
    sets, commands = {}, {}
    for name, words in ARRAY.findall(tree.text(root, SETUP)):
        sets[name] = [word.split("=")[0] for word in words.split()]
        commands.update(word.split("=") for word in words.split() if "=" in word)
    return sets, commands


def of_pip(root):
    """What pip installs in the environments that the scripts make: modules, programs and packages for CMake."""
    names = re.findall(r"(?m)^([\w-]+)==", tree.text(root, "python/requirements.txt"))
    for words in re.findall(r"packages=\(([^()]*)\)", tree.text(root, "scripts/frameworks")):
        names += [word.split("==")[0].removesuffix("-cpu") for word in words.split()]
    return {f"{kind} {name.replace('-', '_')}" for kind in ("module", "program", "package") for name in names}


def owners_of(wanted):
    """{thing: the package that has it, or None}. Of targets, only those of packages for CMake that are looked for."""
    listed = {thing: package for table in (packages.OF_SETUP, packages.EVERYWHERE) for package, things in table.items()
              for thing in things}
    found = {}
    for thing in wanted:
        package = "package " + thing.removeprefix("target ").split("::")[0]
        if not thing.startswith("target "):
            found[thing] = listed.get(thing)
        elif package in wanted and package in listed:
            found[thing] = listed.get(thing, listed[package])
    return found


def check(root):
    sets, commands = of_setup(root)
    wanted = looked_for.everywhere(root)
    owners = owners_of(wanted)
    known = of_pip(root) | set(packages.OPTIONAL)
    problems = []
    for thing, owner in sorted(owners.items()):
        if owner is None and thing not in known:
            problems.append(f"{wanted[thing][0]}: looks for {thing}: list it and its package in tests/rules/packages.py")
        elif owner is not None and owner not in packages.EVERYWHERE:
            problems += not_installed(thing, owner, wanted[thing], sets)
    for package in sets["to_run"] + sets["to_test"]:
        problems += unneeded(package, owners, commands)
    problems += [f"tests/rules/packages.py:1: nothing looks for {thing}" for thing in packages.OPTIONAL if thing not in wanted]
    return problems + untrue({thing: owner for thing, owner in owners.items() if owner is not None})


def not_installed(thing, owner, places, sets):
    if owner not in sets["to_run"] + sets["to_test"]:
        return [f"{places[0]}: looks for {thing}, but {SETUP} does not install {owner}"]
    to_run = [place for place in places if place.startswith(TO_RUN)]
    if to_run and owner not in sets["to_run"]:
        return [f"{to_run[0]}: looks for {thing}, but {SETUP} installs {owner} for tests only"]
    return []


def unneeded(package, owners, commands):
    if package not in owners.values():
        return [f"{SETUP}:1: nothing looks for what {package} has, as far as tests/rules/packages.py knows"]
    things, command = packages.OF_SETUP[package], commands.get(package)
    files = [packages.FILES.get(thing) for thing in things]
    if command and f"program {command}" not in things and f"/bin/{command}" not in files:
        return [f"{SETUP}:1: {package} has no program {command} in tests/rules/packages.py"]
    return []


def untrue(owners):
    """What packages.py says that installed packages do not have. owners: {thing: the package that has it}. Without dpkg,
    nothing is known."""
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


if __name__ == "__main__":
    tree.main(check)
