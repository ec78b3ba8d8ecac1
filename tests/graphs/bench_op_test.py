"""bench_op_test.py: opsrun bench of one op, without a graph.

SPDX-License-Identifier: Apache-2.0
"""

import json
import shutil

from built import BUILD, TEST_PLUGINS
from in_folder import FolderTest

ZERO_OUT = str(BUILD / "lib/opsrun/zero_out.so")
MATH = str(BUILD / "lib/opsrun/math_ops.so")
LISTS = str(BUILD / "lib/opsrun/list_ops.so")
TESTS = f"{TEST_PLUGINS}/test_ops.so"


class BenchOp(FolderTest):
    def bench(self, *words):
        return self.opsrun("bench", "--seconds", "100ms", *words)

    def document(self, *words):
        done = self.bench("--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_sizes_from_cache_to_memory_without_a_shape(self):
        document = self.document(ZERO_OUT, "--threads", "1")
        self.assertEqual(document["op"], "zero_out.ZeroOut")
        self.assertEqual([size["inputs"] for size in document["sizes"]],
                         [["float32 [256]"], ["float32 [8192]"], ["float32 [262144]"], ["float32 [16777216]"]])
        self.assertEqual([size["bytes"] for size in document["sizes"]], [2048, 65536, 2097152, 134217728])
        self.assertGreater(document["peak_flops"], 1e8)
        for size in document["sizes"]:
            self.assertAlmostEqual(size["share_of_memcpy"], size["memcpy_ns"] / size["ns"]["median"])

    def test_shapes_types_attrs_and_a_number_of_operations(self):
        document = self.document(MATH, "--op", "MatMul", "--shape", "8,16", "--shape", "[4,16]", "--dtype", "float64",
                                 "--attr", "transpose_b=true", "--flops", "1024")
        [size] = document["sizes"]
        self.assertEqual(size["inputs"], ["float64 [8, 16]", "float64 [4, 16]"])
        self.assertEqual((document["peak_dtype"], document["flops"]), ("float64", 1024))
        text = self.bench(MATH, "--op", "MatMul", "--shape", "8,8", "--flops", "1024").stdout
        self.assertRegex(text, r"\npeak +[\d.]+ [kMGT]FLOP/s: fused multiply-adds of float32, \d+ threads?\n"
                               r"op +[\d.]+ [kMGT]FLOP/s, [\d.]+ % of the peak, for the 1.02 k of --flops\n")

    def test_lists_get_an_input_for_each_shape(self):
        document = self.document(LISTS, "--op", "AddN", "--shape", "4", "--shape", "4", "--shape", "4")
        self.assertEqual(document["sizes"][0]["inputs"], ["float32 [4]"] * 3)

    def test_another_plugin_file_is_measured_in_turns(self):
        shutil.copy(ZERO_OUT, self.folder / "old.so")
        document = self.document(ZERO_OUT, "--shape", "1000", "--compare", "old.so")
        [size] = document["sizes"]
        self.assertEqual(document["compared_with"], "old.so")
        self.assertGreaterEqual(size["ratio"]["samples"], 20)
        self.assertLessEqual(size["ratio"]["low"], size["ratio"]["median"])
        self.assertLessEqual(size["ratio"]["median"], size["ratio"]["high"])
        text = self.bench(ZERO_OUT, "--shape", "1000", "--compare", "old.so").stdout
        self.assertRegex(text, r"compared with old.so, both measured in turns\n\ninputs +old +new / old +95 % interval +result\n"
                               r"float32 \[1000\] .* to \d\.\d+ ")

    def test_waiting_is_seen(self):
        document = self.document(TESTS, "--op", "TestSleep", "--shape", "4", "--dtype", "int32",
                                 "--attr", "seconds=0.001")
        self.assertTrue([line for line in document["advice"] if line.startswith("waits: ")], document)

    def test_what_cannot_be_measured_is_said(self):
        for words, code, text in (
            ((MATH,), 2, "so bench needs --op"),
            ((MATH, "--op", "Matmul"), 3, "did you mean 'MatMul'?"),
            ((MATH, "--op", "MatMul"), 3, "note: bench gave each input a vector of random numbers"),
            ((MATH, "--op", "MatMul", "--shape", "2,x"), 2, "--shape '2,x' is not a list of sizes"),
            ((MATH, "--op", "MatMul", "--shape", "2", "--shape", "2", "--shape", "2"), 2, "has 2 inputs, but 3 shapes"),
            ((MATH, "--op", "MatMul", "--attr", "transpose_b"), 2, "is not of the form NAME=VALUE"),
            ((MATH, "--op", "MatMul", "--attr", "transpose_b=[1"), 2, "the value is not YAML"),
            ((MATH, "--op", "MatMul", "--dtype", "flaot32"), 2, "did you mean 'float32'?"),
            ((MATH, "--op", "Exp", "--flops", "10"), 2, "--flops needs --shape"),
            ((MATH, "--op", "Exp", "--compare", "old.json"), 2, "--compare needs another plugin file"),
            ((MATH, "--op", "Exp", "--shape", "9", "--compare", "absent.so"), 4, "absent.so"),
            ((MATH, "--op", "Exp", "--concurrency", "2"), 2, "need a graph instead of a plugin file"),
            (("absent.so", "--op", "Exp"), 4, "absent.so"),
            (("g.yaml", "--op", "Exp"), 2, "need a plugin file instead of a graph"),
            ((str(BUILD / "lib/opsrun/string_to_number.so"), "--op", "StringToNumber"), 2, "for which bench has no random values"),
            ((ZERO_OUT, "--shape", "4,4", "--attr", "preserve_index=99"), 1, "the op blames this attr"),
        ):
            done = self.bench(*words)
            self.assertEqual(done.returncode, code, (words, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stdout, "")
