"""other_language_test.py: the example plugins in other languages build, and run like any other.

SPDX-License-Identifier: Apache-2.0
"""

import importlib.util
import json
import shutil
import sys

from built import ROOT
from in_folder import FolderTest

GRAPH = "opsrun: 1\nfeeds: {x: {value: [[1, -2], [3, %d]], dtype: int32}}\nnodes: {y: {op: %s, in: x}}\noutputs: [y]\n"


class OtherLanguage(FolderTest):
    def setUp(self):
        super().setUp()
        self.plugin = self.folder / "plugins/add_one.so"
        self.plugin.parent.mkdir()

    def run_graph(self, op, largest):
        self.write("g.yaml", GRAPH % (largest, op))
        return self.opsrun("g.yaml", "--no-default-plugins", "--plugins", "plugins")

    def check(self, op, *command):
        """The command builds the plugin."""
        done = self.call(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        [facts] = json.loads(self.opsrun("inspect", "--json", self.plugin).stdout)
        states = {each["state"] for each in facts["checks"]}
        self.assertEqual((facts["verdict"], states, facts["ops"]), ("ok", {"ok"}, [op]), facts)
        good, bad = self.run_graph(op, 4), self.run_graph(op, 2**31 - 1)
        self.assertEqual((good.returncode, good.stdout), (0, "y  int32 [2, 2]\n[[ 2 -1]\n [ 4  5]]\n"), good.stderr)
        self.assertEqual(bad.returncode, 1)
        self.assertRegex(bad.stderr, r"(?s)error\[R401\].*largest int32")

    def test_rust(self):
        if shutil.which("rustc") is None:
            self.skipTest("there is no rustc")
        self.check("AddOneRust", "rustc", "-O", "-C", "panic=abort", "--crate-type", "cdylib",
                   ROOT / "examples/rust_plugin/add_one.rs", "-o", self.plugin)

    def test_zig(self):
        zig = ["zig"] if shutil.which("zig") else [sys.executable, "-m", "ziglang"]
        if zig[0] != "zig" and importlib.util.find_spec("ziglang") is None:
            self.skipTest("there is no zig")
        self.check("AddOneZig", *zig, "build-lib", "-dynamic", "-O", "ReleaseSmall", "-fstrip",
                   ROOT / "examples/zig_plugin/add_one.zig", f"-femit-bin={self.plugin}",
                   "--cache-dir", self.folder / "cache", "--global-cache-dir", self.folder / "cache")
