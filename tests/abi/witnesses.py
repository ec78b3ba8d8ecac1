"""witnesses.py: plugins as they were built for each level, run by this host.

usage: witnesses.py OPSRUN [--keep]

The witnesses of a frozen level are files of the project, level_N/witnesses/*.so, with their hashes: the binaries of
that time must run now. Those of a draft are built from its snapshot and deleted; --keep keeps them where they will be.
Each is smaller than 44 KB.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import gates

HERE = pathlib.Path(__file__).resolve().parent
MOST_BYTES = 44 * 1024
SMALL = ["-Os", "-s", "-shared", "-fPIC", "-Wl,-z,noseparate-code"]

# name: (compiler, flags, source, op, the output of a graph with it)
WITNESSES = {
    "c_gcc": ("gcc", ["-std=c11"], "c_plugin.c", "AddOneC", "y  int32 [3]\n[ 2 -1  4]\n"),
    "c_clang": ("clang", ["-std=c11"], "c_plugin.c", "AddOneC", "y  int32 [3]\n[ 2 -1  4]\n"),
    "cxx_gcc": ("g++", ["-std=c++17"], "witness/witness.cc", "WitnessSum", "y  int32 [3]\n[  6 -12  18]\n"),
    "cxx_clang": ("clang++", ["-std=c++17", "-fno-exceptions"], "witness/witness.cc", "WitnessSum",
                  "y  int32 [3]\n[  6 -12  18]\n"),
}
NODES = {"AddOneC": "y: {op: AddOneC, in: x}",
         "WitnessSum": "y: {op: WitnessSum, in: {xs: [x, x, x]}, attrs: {scale: 2}}"}


def build(opsrun, snapshot, name, to):
    """Returns False if the compiler is missing."""
    compiler, flags, source, *_ = WITNESSES[name]
    if shutil.which(compiler) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, "opsrun/c_api.h")  # before the SDK's own
        header.parent.mkdir()
        shutil.copy(snapshot, header)
        words = [compiler, *flags, *SMALL, "-I", folder, "-I", header.parent, HERE / source, "-o", to]
        if source.endswith(".cc"):
            words += shlex.split(
                subprocess.run([opsrun, "sdk", "--cflags"], check=True, capture_output=True, text=True).stdout)
        subprocess.run(words, check=True)
    return True


def wrong_with(opsrun, plugin, level):
    """The errors of the witness in hosts of its level and of the current one; empty if there are none."""
    op, printed = WITNESSES[plugin.stem][3:]
    if plugin.stat().st_size >= MOST_BYTES:
        return f"it has {plugin.stat().st_size} bytes"
    with tempfile.TemporaryDirectory() as folder:
        plugins = pathlib.Path(folder, "plugins")
        plugins.mkdir()
        shutil.copy(plugin, plugins)
        graph = pathlib.Path(folder, "g.yaml")
        graph.write_text(f"opsrun: 1\nfeeds: {{x: {{value: [1, -2, 3], dtype: int32}}}}\nnodes: {{{NODES[op]}}}\n"
                         "outputs: [y]\n")
        for options in ([], ["--abi-level", str(level)]):
            done = subprocess.run([opsrun, graph, "--no-default-plugins", "--plugins", plugins, *options],
                                  capture_output=True, text=True, check=False,
                                  env={**os.environ, "XDG_CACHE_HOME": folder})
            if (done.returncode, done.stdout) != (0, printed):
                return f"{options}: {done}"
    return ""


def check_frozen(opsrun, folder, level):
    hashes = {}
    if (folder / "SHA256SUMS").exists():
        hashes = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    for name in WITNESSES:
        plugin = folder / f"{name}.so"
        if not plugin.exists() or plugin.name not in hashes:
            yield name, "it is missing: scripts/abi_snapshot builds it while the level is a draft"
            continue
        found = hashlib.sha256(plugin.read_bytes()).hexdigest()
        yield name, "it was built again" if found != hashes[plugin.name] else wrong_with(opsrun, plugin, level)


def check_draft(opsrun, folder, level):
    snapshot = gates.header_of(HERE / f"level_{level}")
    for name in WITNESSES:
        plugin = folder / f"{name}.so"
        if build(opsrun, snapshot, name, plugin):
            yield name, wrong_with(opsrun, plugin, level)


def keep_hashes(folder):
    lines = [f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in sorted(folder.glob("*.so"))]
    (folder / "SHA256SUMS").write_text("".join(lines))


def main():
    opsrun, keep = pathlib.Path(sys.argv[1]).resolve(), "--keep" in sys.argv
    history = (HERE.parent.parent / "CHANGELOG.md").read_text()
    failed = False
    for folder in sorted(HERE.glob("level_*")):
        level = int(folder.name.removeprefix("level_"))
        frozen = gates.is_frozen(history, level)
        kept = folder / "witnesses"
        with tempfile.TemporaryDirectory() as thrown_away:
            here = kept if frozen or keep else pathlib.Path(thrown_away)
            here.mkdir(exist_ok=True)
            for name, wrong in (check_frozen if frozen else check_draft)(opsrun, here, level):
                print(f"level {level}, {'frozen' if frozen else 'a draft'}, {name}: {wrong or 'ok'}")
                failed = failed or bool(wrong)
        if keep and not frozen:
            keep_hashes(kept)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
