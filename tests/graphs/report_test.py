"""report_test.py: the page of opsrun report, as a browser reads it.

SPDX-License-Identifier: Apache-2.0
"""

import html.parser
import json
import os
import re
import shutil
import unittest

import npy
from built import TEST_PLUGINS
from in_folder import FolderTest

VOID = {"meta", "input", "img", "br", "hr", "link"}
# Each node takes long enough to be worth advice: 'late' has a result of unknown size, which 'after' reads, no output
# depends on 'unused', 'same' computes the same in each run, and 'real' converts a feed.
GRAPH = """opsrun: 1
feeds: {x: {dtype: int32, shape: [-1]}, c: {fill: 1, shape: [100000], dtype: int32}}
nodes:
  real: {op: Cast, in: x, attrs: {DstT: float32}}
  late: {op: TestNonzero, in: x}
  after: {op: AddV2, in: [late, late]}
  same: {op: AddV2, in: [c, c]}
  unused: {op: AddV2, in: [x, x]}
outputs: {real: {from: real, npy: real.npy}, after: after, same: same}
"""
HOSTILE = "</title></pre></svg><script>alert(1)</script><img src=x onerror=alert(2)> {{plan}} \x07 \u202e"


class Page(html.parser.HTMLParser):
    """Checks that elements are nested, and that nothing can run or be fetched."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.problems, self.words = [], [], [], ""
        self.feed(text)
        self.close()
        self.problems += [f"never closed: {tag}" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.problems += [f"{tag} {name}" for name, _ in attrs if name.startswith("on") or name in ("src", "href", "xlink:href")]
        if tag in ("script", "img", "iframe", "link", "object", "base", "form"):
            self.problems.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"closed too early: {tag}")

    def handle_data(self, data):
        self.words += data


class Report(FolderTest):
    def report(self, *words, **how):
        return self.opsrun("report", "g.yaml", "--seconds", "50ms", "--plugins", str(TEST_PLUGINS), *words, **how)

    def page(self, *words, graph=GRAPH, notes="", **how):
        """The page about the graph, and its text."""
        self.write("g.yaml", graph)
        done = self.report("-o", "r.html", *words, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"\A{notes}ok: wrote the report to r.html\n\Z")
        text = (self.folder / "r.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.problems, [])
        return text, page

    def feed(self):
        self.write("x.npy", npy.content("int32 [100000]" + " 1" * 100000))
        return "--feed", "x=x.npy"

    def test_it_says_what_to_do_and_only_then(self):
        _, page = self.page(*self.feed(), "--threads", "1")
        advice = page.words.partition("What to look at")[2].partition("The graph")[0]
        for sentence in ("No output and no check depends on 'unused'", "Only constants of the graph flow into 'same'",
                         "Node 'real' converts a feed", "It makes float32 of int32",
                         "The shape function of 'late' cannot tell", "The same is true for 1 node behind them"):
            self.assertIn(sentence, advice)
        self.assertNotIn("threads", advice)
        plain = "opsrun: 1\nfeeds: {x: {dtype: int32, shape: [-1]}}\nnodes:\n  a: {op: TestAdd, in: [x, x]}\n"
        plain += "  b: {op: TestAdd, in: [a, x]}\noutputs: [b]\n"
        _, page = self.page("--threads", "2", "--feed", "x=x.npy", graph=plain)
        advice = page.words.partition("What to look at")[2].partition("The graph")[0]
        self.assertIn("No two nodes can run at the same time", advice)
        self.assertNotRegex(advice, "depends on|flow into|converts|shape function")

    def test_it_has_all_numbers_and_writes_no_outputs(self):
        text, page = self.page(*self.feed(), "--threads", "1")
        self.assertEqual(sorted(os.listdir(self.folder)), ["g.yaml", "r.html", "x.npy"])
        shares = re.findall(r'class="share">([\d.]+) %<', text)
        self.assertAlmostEqual(sum(map(float, shares)), 200, delta=1.5)  # by op, and by node
        self.assertEqual(len(re.findall("<rect ", text)), 3)  # real, same, unused
        self.assertIn("<title>real: 391 KiB at ", text)
        for words in ("step 0: real = Cast on cpu", "test_ops.so", "int32 [100000]", "given with --feed"):
            self.assertIn(words, page.words)

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_the_picture_is_in_it(self):
        text, page = self.page(*self.feed())
        self.assertEqual(page.tags.count("svg"), 2)
        self.assertNotIn("<!DOCTYPE svg", text)
        self.assertRegex(page.words, r"share of [\d.]+ [num]?s")

    @unittest.skipUnless(shutil.which("dot"), "Graphviz is not installed")
    def test_nodes_that_one_kernel_computes_share_its_time(self):
        graph = "opsrun: 1\nfeeds: {x: {fill: 1, shape: [1, 9, 9, 4], dtype: float32}, f: {fill: 2, shape: [3, 3, 4, 8], dtype: float32}}\n"
        graph += "nodes:\n  conv: {op: Conv2D, in: [x, f], attrs: {strides: [1, 1, 1, 1], padding: SAME}}\n  relu: {op: Relu, in: conv}\n"
        _, page = self.page(graph=graph + "outputs: [relu]\n")
        for words in ("conv+relu", "Conv2D+Relu", "part of conv"):
            self.assertIn(words, page.words)

    def test_without_graphviz_it_says_so(self):
        _, page = self.page(*self.feed(), notes=r"note: There is no picture: .*Install Graphviz.*\n", PATH=str(self.folder))
        self.assertEqual(page.tags.count("svg"), 1)
        self.assertIn("There is no picture: there is no program 'dot' on the PATH", page.words)

    def test_names_are_text(self):
        graph = {"opsrun": 1, "name": HOSTILE, "feeds": {"x": {"value": [1, 2], "dtype": "int32"},
                                                         "s": {"value": [HOSTILE], "dtype": "string"}},
                 "nodes": {"n" * 500: {"op": "ZeroOut", "in": "x"}},
                 "outputs": {"o": {"from": "n" * 500, "npy": "<script>.npy"}}}
        text, page = self.page(graph=json.dumps(graph))
        self.assertIn("</title></pre></svg><script>alert(1)</script>", page.words)
        self.assertNotIn("n" * 301, page.words)
        for character in "\x07\u202e":
            self.assertNotIn(character, text)

    def test_a_large_graph_makes_no_large_page(self):
        nodes = "".join(f"  n{i}: {{op: ZeroOut, in: {f'n{i - 1}' if i else 'x'}}}\n" for i in range(10000))
        graph = f"opsrun: 1\nfeeds: {{x: {{value: [1, 2], dtype: int32}}}}\nnodes:\n{nodes}outputs: [n9999]\n"
        text, page = self.page(graph=graph, notes=r"note: The picture is left out, .*\n")
        self.assertLess(len(text), 400_000)
        self.assertIn("9950 more nodes", page.words)
        self.assertRegex(page.words, r"\d+ more lines: opsrun plan g.yaml")

    def test_errors_are_those_of_run_and_leave_the_file_alone(self):
        old = self.write("r.html", "old")
        self.write("g.yaml", GRAPH)
        for words, code, message in (((), 3, "error[F304]: feed 'x' is only declared"), (("-o", "g.yaml", *self.feed()), 2, "U007"),
                                     (("-o", "no/r.html", *self.feed()), 1, "error[R504]: cannot write 'no/r.html'"),
                                     (("--feed", "y=x.npy"), 3, "error[F301]")):
            done = self.report(*(words if "-o" in words else ("-o", "r.html", *words)))
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
        for op, code, message in (("TestFail, in: c, attrs: {message: no}", 1, "error[R401]"),
                                  ("TestSleep, in: c, attrs: {seconds: 60}", 6, "error[R403]: stopped by --timeout")):
            self.write("g.yaml", f"opsrun: 1\nfeeds: {{c: {{value: [1], dtype: int32}}}}\nnodes: {{f: {{op: {op}}}}}\noutputs: [f]\n")
            done = self.report("-o", "r.html", "--timeout", "1s")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(message, done.stderr)
        self.assertEqual(old.read_text(), "old")
        self.assertEqual((self.folder / "g.yaml").read_text()[:6], "opsrun")

    def test_it_goes_to_standard_output_without_a_file(self):
        self.write("g.yaml", GRAPH)
        done = self.report(*self.feed())
        self.assertEqual((done.returncode, done.stdout[:15]), (0, "<!DOCTYPE html>"), done.stderr)


if __name__ == "__main__":
    unittest.main()
