"""other_language_test.py: builds the example plugin of another language, and runs it like any other.

usage: other_language_test.py OPSRUN ROOT rust|zig      exit status 77: there is no compiler

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

OPSRUN, ROOT, LANGUAGE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
OP = {"rust": "AddOneRust", "zig": "AddOneZig"}[LANGUAGE]
GRAPH = "opsrun: 1\nfeeds: {x: {value: [[1, -2], [3, %d]], dtype: int32}}\nnodes: {y: {op: %s, in: x}}\noutputs: [y]\n"


def compiler():
    """The start of the build command; empty if there is no compiler."""
    if LANGUAGE == "rust":
        rustc = shutil.which("rustc")
        return [rustc, "-O", "-C", "panic=abort", "--crate-type", "cdylib"] if rustc else None
    zig = [shutil.which("zig")] if shutil.which("zig") else None
    if zig is None and importlib.util.find_spec("ziglang"):
        zig = [sys.executable, "-m", "ziglang"]
    return zig and [*zig, "build-lib", "-dynamic", "-O", "ReleaseSmall", "-fstrip"]


def build(words, folder):
    source = ROOT / f"examples/{LANGUAGE}_plugin" / {"rust": "add_one.rs", "zig": "add_one.zig"}[LANGUAGE]
    plugin = folder / "plugins/add_one.so"
    plugin.parent.mkdir()
    caches = ["--cache-dir", folder / "cache", "--global-cache-dir", folder / "cache"]
    output = ["-o", plugin] if LANGUAGE == "rust" else [f"-femit-bin={plugin}", *caches]
    subprocess.run([*words, source, *output], check=True, cwd=folder)
    return plugin


def run(folder, largest):
    (folder / "g.yaml").write_text(GRAPH % (largest, OP))
    return subprocess.run([OPSRUN, "g.yaml", "--no-default-plugins", "--plugins", "plugins"], cwd=folder, text=True,
                          capture_output=True, check=False)


def main():
    words = compiler()
    if words is None:
        print(f"SKIPPED: there is no compiler for {LANGUAGE}")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plugin = build(words, folder)
        inspected = subprocess.run([OPSRUN, "inspect", "--json", plugin], check=True, capture_output=True, text=True)
        [facts] = json.loads(inspected.stdout)
        checks = {each["check"]: each["state"] for each in facts["checks"]}
        assert facts["verdict"] == "ok" and set(checks.values()) == {"ok"}, inspected.stdout
        assert facts["ops"] == [OP], inspected.stdout
        good, bad = run(folder, 4), run(folder, 2**31 - 1)
        assert (good.returncode, good.stdout) == (0, "y  int32 [2, 2]\n[[ 2 -1]\n [ 4  5]]\n"), good
        assert bad.returncode == 1 and "error[R401]" in bad.stderr and "largest int32" in bad.stderr, bad
    print(f"ok: a plugin in {LANGUAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
