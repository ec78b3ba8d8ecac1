"""svg_test.py: opsrun graph --svg with Graphviz, without it, and with other programs of that name.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

from built import OPSRUN, ROOT
from in_folder import FolderTest

TEXT = "{http://www.w3.org/2000/svg}text"
TIME = re.compile(r"\d[\d.]* [num]?s(, \d[\d.]* %)?")
GRAPH = "{opsrun: 1, feeds: {x: {value: [1, 2], dtype: int32}}, nodes: {z: {op: ZeroOut, in: x}}, outputs: [z]}"


def many_nodes(count):
    """A graph whose picture exceeds the buffer of a pipe."""
    lines = ["opsrun: 1", "feeds: {x: {value: [1, 2], dtype: int32}}", "nodes:"]
    lines += [f"  n{i}: {{op: ZeroOut, in: x}}" for i in range(count)]
    return "\n".join(lines)


class Svg(FolderTest):
    def call(self, *words, graph=GRAPH, path=None):
        environment = dict(os.environ, PATH=path or str(self.folder))
        return subprocess.run([OPSRUN, "graph", "-", "--svg", *words], input=graph.encode(), env=environment,
                              capture_output=True, timeout=200, check=False)

    def dot(self, script):
        """Creates a program named dot, the only one on the PATH."""
        self.write("dot", "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script).chmod(0o755)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_is_a_picture(self):
        done = self.call(path=os.environ["PATH"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        svg = xml.etree.ElementTree.fromstring(done.stdout)
        self.assertTrue(svg.tag.endswith("svg"))
        words = [text.text for text in svg.iter(TEXT)]
        self.assertIn("z", words)
        self.assertIn("ZeroOut", words)
        self.assertIn(" int32 [2] ", [word.replace("\u00a0", " ") for word in words])

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_takes_odd_names(self):
        graph = "{opsrun: 1, feeds: {'\"]<b>&\\': {value: 1}, x: {npy: '<&\"\\N>.npy'}}, nodes: {z: {op: '<b>', in: x}}}"
        done = self.call(graph=graph, path=os.environ["PATH"])
        self.assertEqual(done.returncode, 3)
        xml.etree.ElementTree.fromstring(done.stdout)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_those_in_the_docs_say_what_they_would_say_now(self):
        # Positions and sizes depend on fonts and on the version of Graphviz, and times on the machine.
        def words(svg):
            return sorted(TIME.sub("#", text.text) for text in svg.iter(TEXT) if text.text not in ("-", f"{graph}.yaml"))

        for name, graph, more in [("price_list", "price_list", []), ("five_mistakes", "five_mistakes", []),
                                  ("price_list_times", "price_list", ["--profile", "--seconds", "50ms"])]:
            source = (ROOT / f"examples/{graph}.yaml").read_text(encoding="utf-8")
            now = xml.etree.ElementTree.fromstring(self.call(*more, graph=source, path=os.environ["PATH"]).stdout)
            committed = xml.etree.ElementTree.parse(ROOT / f"docs/{name}.svg").getroot()
            self.assertEqual(words(committed), words(now),
                             f"write it again: opsrun graph examples/{graph}.yaml {' '.join(more)} -o docs/{name}.svg")

    def test_says_what_to_install(self):
        done = self.call()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, b"")
        self.assertIn(b"error[R505]: there is no program 'dot' on the PATH", done.stderr)
        self.assertIn(b"install Graphviz", done.stderr)

    def test_says_so_before_any_work(self):
        done = self.call("--plugins", self.folder / "absent", graph="no graph at all")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"error["), 1)
        self.assertIn(b"error[R505]", done.stderr)

    def test_tells_what_the_program_said(self):
        self.dot("cat > /dev/null; echo 'line 3: syntax error' >&2; exit 4")
        done = self.call()
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"'dot' ended with exit status 4: line 3: syntax error", done.stderr)

    def test_outlives_a_program_that_is_killed_or_does_not_read(self):
        for script, what in (("kill -9 $$", b"signal 9"), ("exit 2", b"exit status 2")):
            self.dot(script)
            done = self.call(graph=many_nodes(3000))
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"'dot' ended with " + what, done.stderr)

    def test_reads_and_writes_at_the_same_time(self):
        self.dot("head -c 1000000 /dev/zero >&2; head -c 3000000 /dev/zero; cat")
        done = self.call(graph=many_nodes(3000))
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        self.assertGreater(len(done.stdout), 3_500_000)
        self.assertTrue(done.stdout.endswith(b"}\n"))

    def test_leaves_a_file_as_it_was(self):
        self.dot("echo '<svg'; exit 1")
        picture = self.write("picture.svg", "old")
        self.assertEqual(self.call("-o", picture).returncode, 1)
        self.assertEqual(picture.read_text(), "old")
