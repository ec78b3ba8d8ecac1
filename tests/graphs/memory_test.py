"""memory_test.py: how much memory small inputs may use, and what is reported when it runs out.

SPDX-License-Identifier: Apache-2.0
"""

import resource
import zipfile

import npy
from built import TEST_PLUGINS
from in_folder import FolderTest

MIB = 2**20


class Memory(FolderTest):
    def opsrun(self, limit, *words):
        """The program's exit status and output, with a limit on its address space."""
        done = super().opsrun(*words, "--plugins", TEST_PLUGINS, limit=(resource.RLIMIT_AS, limit))
        return done.returncode, done.stdout + done.stderr

    def test_an_archive_takes_memory_for_what_is_used_of_it(self):
        with zipfile.ZipFile(self.folder / "many.npz", "w") as archive:
            for i in range(65000):
                archive.writestr(f"empty{i}.npy", b"")
            archive.writestr("x.npy", npy.content("int32 [2] 1 2"))
        self.write("g.yaml", "opsrun: 1\nfeeds: {x: {npz: many.npz}}\noutputs: [x]\n")
        status, said = self.opsrun(200 * MIB, "check", "g.yaml")
        self.assertEqual(status, 0, said)

    def test_a_text_that_fills_a_feed_is_there_once(self):
        self.write("g.yaml", f"""opsrun: 1
feeds: {{x: {{fill: "{'a' * 1000000}", shape: [100000], dtype: string}}}}
outputs: [x]
""")
        status, said = self.opsrun(200 * MIB, "run", "g.yaml")
        self.assertEqual(status, 0, said[-1000:])

    def test_differentiating_takes_little_memory_for_each_node(self):
        count = 20000
        nodes = "".join(f"  n{i + 1}: {{op: TestExp, in: n{i}}}\n" for i in range(count))
        self.write("g.yaml", f"opsrun: 1\nfeeds: {{n0: {{dtype: float32, shape: [4]}}}}\nnodes:\n{nodes}outputs: []\n")
        words = ("grad", "g.yaml", "--of", f"n{count}", "--wrt", "n0", "-o", "d.yaml")
        status, said = self.opsrun(160 * MIB, *words)
        self.assertEqual(status, 0, said)

    def test_too_little_memory_to_read_a_graph_has_a_code(self):
        values = ",".join(["1"] * 1000000)
        self.write("g.yaml", f"opsrun: 1\nfeeds: {{x: {{value: [{values}], dtype: int32}}}}\noutputs: [x]\n")
        for limit in (60, 80, 100):
            status, said = self.opsrun(limit * MIB, "check", "g.yaml")
            self.assertEqual((status, said[:12]), (5, "error[D100]:"), said[:1000])

    def test_too_little_memory_to_create_a_kernel_has_a_code(self):
        self.write("g.yaml", """opsrun: 1
feeds: {x: {value: 1, dtype: int32}}
nodes: {kept: {op: TestKeep, in: x, attrs: {bytes: 1000000000}}}
outputs: [kept]
""")
        status, said = self.opsrun(400 * MIB, "check", "g.yaml")
        self.assertEqual(status, 5, said)
        self.assertIn("error[D401]: node 'kept' cannot be created: ", said)
        self.assertIn(" --> g.yaml:3:20\n", said)
