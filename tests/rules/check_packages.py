"""check_packages.py: scripts/setup installs the packages that the build, the scripts and the tests need, and no others.

usage: check_packages.py ROOT

Where all of them are installed, nobody notices that one is missing from scripts/setup. So this rule reads what is looked
for (looked_for.py), and compares it with what the packages have (packages.py). Where Debian's packages are installed, it
also compares that list with their files.

SPDX-License-Identifier: Apache-2.0
"""

import re

import installed
import looked_for
import packages
import tree

SETUP = "scripts/setup"
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
        names += words.split()
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
    return problems + installed.check({thing: owner for thing, owner in owners.items() if owner is not None})


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


if __name__ == "__main__":
    tree.main(check)
