"""matrix_test.py: one plugin, built in every way that compilers support, gives the same result in this host.

usage: matrix_test.py OPSRUN [NAME...]

The plugin in C is built from the snapshot of each level; the one in C++ from the SDK. Each runs in the host, with its
own level and with every earlier one. Ways that no installed compiler supports are reported and skipped.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

import gates

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = """doubled  int32 [5]
[ 6 -2  8 -2 10]
positive  int32 [3]
[ 6  8 10]
scaled  float32 [2]
[-11. -35.]
joined  string []
a.bc.def.
first  int32 []
1
second  int32 []
2
filled  float32 [2, 3]
[[7. 7. 7.]
 [7. 7. 7.]]
"""

# Flags, each combined with every standard and every compiler.
CXX_FLAGS = {
    "O0": ["-O0"], "O2 lto": ["-O2", "-flto"], "O3 ndebug": ["-O3", "-DNDEBUG"], "g sections": ["-g", "-ffunction-sections"],
    "old strings": ["-O1", "-D_GLIBCXX_USE_CXX11_ABI=0"], "static libstdc++": ["-O1", "-static-libstdc++", "-static-libgcc"],
    "no rtti": ["-O1", "-fno-rtti"], "no exceptions": ["-O1", "-fno-exceptions"], "libc++": ["-O1", "-stdlib=libc++"],
    "debug library": ["-O0", "-D_GLIBCXX_DEBUG"], "unsigned char": ["-O1", "-funsigned-char"],
    "short enums": ["-O1", "-fshort-enums"], "fast math": ["-O2", "-fno-math-errno", "-ffp-contract=off"],
}
STANDARDS = ["c++17", "c++20", "c++2b"]
C_FLAGS = {"c11": ["-std=c11"], "c17 O2 lto": ["-std=c17", "-O2", "-flto"], "c2x": ["-std=c2x", "-O1"],
           "stripped": ["-std=c11", "-O2", "-s"]}


def levels():
    return sorted(HERE.glob("level_*"))


def cells(opsrun):
    """(name, build command, source) of every combination: each flag with each compiler, the standards in turn."""
    sdk = shlex.split(subprocess.run([opsrun, "sdk", "--cflags"], check=True, capture_output=True, text=True).stdout)
    source = HERE / "conformance/conformance.cc"
    for compiler in ("g++", "clang++"):
        for number, (name, flags) in enumerate(CXX_FLAGS.items()):
            standard = STANDARDS[(number + (compiler == "clang++")) % len(STANDARDS)]
            yield f"{compiler} {standard} {name}", [compiler, f"-std={standard}", *flags, "-shared", *sdk], source
    for level in levels():
        for compiler in ("gcc", "clang"):
            for name, flags in C_FLAGS.items():
                words = [compiler, *flags, "-shared", "-fPIC", "-I", str(level)]
                yield f"{level.name} {compiler} {name}", words, HERE / "c_plugin.c"


def build(words, source, plugin, snapshots):
    if source.suffix == ".c":  # from a folder that contains only the copied header
        level = pathlib.Path(words[-1])
        folder = snapshots / f"{plugin.parent.parent.name}"
        folder.mkdir(parents=True)
        shutil.copy(gates.header_of(level), folder / "c_api.h")
        words = [*words[:-1], str(folder)]
    done = subprocess.run([*words, source, "-o", plugin], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def run(host, folder, graph, *options):
    return subprocess.run([*host, graph, "--no-default-plugins", "--plugins", "plugins", *options], cwd=folder, text=True,
                          capture_output=True, check=False, env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")})


def check_c(host, folder):
    (folder / "g.yaml").write_text("opsrun: 1\nfeeds: {x: {value: [1, 2], dtype: int32}}\n"
                                   "nodes: {y: {op: AddOneC, in: x}}\noutputs: [y]\n")
    done = run(host, folder, "g.yaml")
    return "" if (done.returncode, done.stdout) == (0, "y  int32 [2]\n[2 3]\n") else f"{done}"


def check_cxx(host, folder):
    for options in ([], ["--threads", "3", "--repeat", "1"], ["--no-probe"]):
        good = run(host, folder, HERE / "conformance/conformance.yaml", *options)
        if (good.returncode, good.stdout) != (0, EXPECTED):
            return f"{options}: {good}"
    bad = run(host, folder, HERE / "conformance/fails.yaml")
    if bad.returncode != 1 or "fails.yaml:6:" not in bad.stderr or "OUT_OF_RANGE: value is -1, below 0" not in bad.stderr:
        return f"{bad}"
    exports = subprocess.run(["nm", "-D", "--defined-only", folder / "plugins/p.so"], capture_output=True, text=True, check=True)
    stray = [line for line in exports.stdout.splitlines() if not line.endswith("opsrun_plugin_v1")]
    return f"it also exports {stray}" if stray else ""


def try_cell(cell, hosts, root):
    name, words, source = cell
    if shutil.which(words[0]) is None:
        return name, "skipped", f"there is no {words[0]}"
    folder = root / name.replace(" ", "_")
    (folder / "plugins").mkdir(parents=True)
    wrong = build(words, source, folder / "plugins/p.so", root / "snapshots")
    if "libc++" in name and "file not found" in wrong:
        return name, "skipped", "libc++ is not installed"
    if "unrecognized command-line option" in wrong or "not supported" in wrong:
        return name, "skipped", "the compiler lacks the option"
    if wrong:
        return name, "failed", wrong
    for host in hosts:
        wrong = (check_c if source.suffix == ".c" else check_cxx)(host, folder)
        if wrong:
            return name, "failed", f"in {host}: {wrong}"
    return name, "ok", ""


def results_of(hosts, wanted=()):
    """(name, state, why) of each cell in all hosts, which are given as commands."""
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = [cell for cell in cells(hosts[0][0]) if not wanted or cell[0] in wanted]
        return list(pool.map(lambda cell: try_cell(cell, hosts, pathlib.Path(root)), chosen))


def main():
    opsrun = pathlib.Path(sys.argv[1]).resolve()
    hosts = [[opsrun], *([opsrun, "--abi-level", level.name.removeprefix("level_")] for level in levels())]
    results = results_of(hosts, sys.argv[2:])
    for name, state, why in results:
        print(f"{state:8} {name}" + (f": {why}" if why else ""))
    counts = {state: sum(each[1] == state for each in results) for state in ("ok", "skipped", "failed")}
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return 1 if counts["failed"] or not counts["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
