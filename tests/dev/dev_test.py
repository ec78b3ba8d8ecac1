"""dev_test.py: opsrun dev, with a plugin that is edited and built while it runs.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import queue
import re
import signal
import subprocess
import threading

from built import OPSRUN
from in_folder import FolderTest

PLUGIN = """#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
using namespace opsrun;
REGISTER_OP("Twice").Input("x: float").Output("y: float").SetShapeFn(shape_inference::UnchangedShape);
class TwiceOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &y));
    const auto in = context->input(0).flat<float>();
    auto out = y->flat<float>();
    for (int64 i = 0; i < in.size(); ++i) out(i) = FACTOR * in(i);
  }
};
REGISTER_KERNEL_BUILDER(Name("Twice").Device(DEVICE_CPU), TwiceOp);
"""
GRAPH = "opsrun: 1\nfeeds: {x: {value: [1, 2, 3], dtype: float32}}\nnodes: {t: {op: Twice, in: x}}\noutputs: [t]\n"
WAITING = "note: waiting for a change; Ctrl-C ends this\n"


def living(group):
    """The processes of this group that have not ended."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of_group = stat.read_text().rpartition(")")[2].split()[:3]
        except (ProcessLookupError, FileNotFoundError):
            continue
        if int(of_group) == group and state != "Z":
            found.append(stat.parent.name)
    return found


class Dev(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("g.yaml", GRAPH)
        (self.folder / "out").mkdir(mode=0o755)
        self.write("build.sh", f'exec g++ -std=c++17 -shared -fPIC my_op.cc -o out/my_op.so $("{OPSRUN}" sdk --cflags)\n')

    def source(self, factor):
        self.write("my_op.cc", PLUGIN.replace("FACTOR", factor))

    def start(self, *words):
        process = subprocess.Popen([OPSRUN, "dev", "g.yaml", *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
                                   env={**os.environ, "TMPDIR": str(self.folder)})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in process.stdout], daemon=True).start()
        return process

    def until(self, end=WAITING):
        """What is printed up to this line."""
        text = ""
        while not text.endswith(end):
            text += self.lines.get(timeout=120)
        return text

    def stop(self, process, number=signal.SIGINT):
        process.send_signal(number)
        self.assertEqual(process.wait(timeout=60), 128 + number)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("opsrun-dev")], [])

    def test_edits_are_built_and_run_and_mistakes_do_not_end_it(self):
        self.source("2")
        process = self.start("--build", "sh build.sh", "--plugins", "out")
        first = self.until()
        self.assertRegex(first, r"^note: build: sh build.sh\nnote: built in .*\n")
        self.assertIn("\nt  float32 [3]\n[2. 4. 6.]\ntime  ", first)

        self.source("3")
        changed = self.until()
        self.assertIn("note: changed: 'my_op.cc'\nnote: build: sh build.sh\n", changed)
        self.assertIn("t  float32 [3]: 3 of 3 elements changed; the first at [0] is 3.0, was 2.0; the largest difference is "
                      "3 at [2]\n", changed)
        self.assertNotIn("no change", changed)

        self.source("factor")
        mistake = self.until()
        self.assertIn("my_op.cc:14", mistake)
        self.assertTrue(mistake.endswith("note: the build failed: exit status 1\n" + WAITING), mistake)

        self.source("*reinterpret_cast<volatile float*>(8)")
        crash = self.until()
        self.assertIn("SIGSEGV", crash)
        self.assertIn("in the kernel of node 't'", crash)
        self.assertTrue(crash.endswith("note: the run failed: SIGSEGV\n" + WAITING), crash)

        self.source("3")
        again = self.until()
        self.assertIn("note: no result has changed\n", again)
        self.assertNotIn("t  float32", again)

        # An editor that renames, and one that writes the same bytes again.
        self.write("new.yaml", GRAPH.replace("2, 3", "5"))
        os.rename(self.folder / "new.yaml", self.folder / "g.yaml")
        graph = self.until()
        self.assertIn("note: changed: 'g.yaml'\n", graph)
        self.assertNotIn("note: build", graph)
        self.assertIn("t  float32 [2], was float32 [3]\n[ 3. 15.]\n", graph)
        self.source("3")
        self.write("g.yaml", GRAPH.replace("Twice", "Twiec"))
        wrong = self.until()
        self.assertIn("note: changed: 'g.yaml'\nerror[G201]: no op named 'Twiec'\n", wrong)
        self.assertTrue(wrong.endswith("note: the run failed: exit status 3\n" + WAITING), wrong)
        self.stop(process)

    def test_a_plugin_that_nobody_looks_for_is_mentioned_once(self):
        self.source("2")
        process = self.start("--build", "sh build.sh")
        told = "note: the plugin out/my_op.so was built in a folder that is not searched; add --plugins out\n"
        first = self.until()
        self.assertIn(told, first)
        self.assertIn("error[G201]: no op named 'Twice'", first)
        self.source("4")
        self.assertNotIn(told, self.until())
        self.stop(process, signal.SIGTERM)

    def test_shapes_inside_the_graph_and_times_that_change(self):
        graph = ("opsrun: 1\nfeeds: {x: {fill: 1, shape: [%s], dtype: float32}}\n"
                 "nodes:\n  one: {op: ZeroOut, in: x}\n  two: {op: ZeroOut, in: one}\n  rank: {op: Rank, in: two}\noutputs: [rank]\n")
        self.write("g.yaml", graph % 3)
        process = self.start()
        self.assertRegex(self.until(), r"\nrank  int32 \[\]\n1\ntime  [\d.]+ ")
        self.write("g.yaml", graph % 4000000)
        larger = self.until()
        self.assertIn("node one  float32 [4000000], was float32 [3]\nnode two  float32 [4000000], was float32 [3]\ntime  ", larger)
        self.assertNotIn("rank  int32", larger)
        self.assertRegex(larger, r"time  .*, was .*: slower by .*%\n\n2 of 3 nodes changed by more than the noise\n")
        self.write("g.yaml", graph % 4000000 + "# the same\n")
        same = self.until()
        self.assertIn("note: no result has changed\n", same)
        self.assertNotIn("node one", same)
        self.stop(process)

    def test_arrays_and_an_edit_during_a_build(self):
        self.write("g.yaml", "opsrun: 1\nfeeds: {x: {npy: x.npy}}\nnodes: {z: {op: ZeroOut, in: x}}\noutputs: {z: {from: z}}\n")
        make = "opsrun: 1\nfeeds: {x: {fill: %d, shape: [2], dtype: int32}}\noutputs: {x: {from: x, npy: x.npy}}\n"

        def array(number):
            self.write("other/make.yaml", make % number)
            self.assertEqual(self.opsrun("run", "other/make.yaml").returncode, 0)
            os.rename(self.folder / "other/x.npy", self.folder / "x.npy")

        array(1)
        self.write("a.cc", "")
        process = self.start("--build", "sleep 1")
        self.until("note: build: sleep 1\n")
        self.write("a.cc", "// edited")
        self.assertIn("note: changed: 'a.cc'\nnote: build: sleep 1\n", self.until())
        array(7)
        self.assertIn("note: changed: 'x.npy'\n", self.until())
        self.stop(process)

    def test_nothing_that_it_has_started_is_left(self):
        self.write("a.cc", "")
        process = self.start("--build", "echo $$ > pid; sleep 1000 & sleep 1000")
        self.until("note: build: echo $$ > pid; sleep 1000 & sleep 1000\n")
        while not (self.folder / "pid").exists() or not (self.folder / "pid").read_text().endswith("\n"):
            pass
        pid = int((self.folder / "pid").read_text())
        self.stop(process)
        self.assertEqual(living(pid), [])

    def test_mistakes(self):
        done = self.opsrun("dev", "-", "--build", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("error[U005]: dev needs the file of a graph", done.stderr)
        done = self.opsrun("dev", "g.yaml", TMPDIR="/absent")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.escape("error[R504]: dev cannot make a folder for results: "))
