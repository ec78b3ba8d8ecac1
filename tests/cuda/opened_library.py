"""opened_library.py: what the tests of a library of NVIDIA's have in common, which a plugin opens on the fake driver.

Numbers are compared with those of the CPU, of small integers, which are exact in every type and order. The double
reports handles that nobody destroys, memory that is taken within a capture, and workspaces that two streams share.

SPDX-License-Identifier: Apache-2.0
"""

import os
import pathlib
import random
import tempfile
import unittest

import fake_driver
from built import BUILD, DOUBLE, NVCC, SANITIZED

FLOATS = ["float16", "bfloat16", "float32", "float64"]


def run(graph, *words, library="", **environment):
    """(exit status, stdout, stderr) of a run on the fake driver; library: the folder of one."""
    return fake_driver.opsrun("run", graph, *words, libraries=filter(None, (DOUBLE, library)), OPSRUN_DOUBLE_STRICT="1",
                              **environment)


def on_gpu(graph, *words, **environment):
    return run(graph, "--device", "gpu", *words, OPSRUN_VLOG="1", **environment)


def numbers(shape, random):
    return [numbers(shape[1:], random) for _ in range(shape[0])] if shape else random.randint(-4, 4)


def feed(shape, dtype, seed):
    if 0 in shape:
        return {"random": "uniform", "seed": seed, "shape": list(shape), "dtype": dtype}
    return {"value": numbers(shape, random.Random(seed)), "dtype": dtype}


class OpenedLibrary:
    """The tests of each library, for a class that is also a fake_driver.Test and has
    NAME, FILE, VERSIONS: the name, the file without the version, and the versions, newest first
    SWITCH: the environment variable that disables it
    SMALL: a graph that uses it
    VERSION: of the fake library
    """
    @property
    def library(self):
        return f"{self.FILE}{self.VERSIONS[0]}"

    @property
    def used(self):
        return f"computed by {self.library}, version {self.VERSION}"

    @property
    def fake(self):
        return str(BUILD / f"tests/cuda/{self.NAME.lower()}/fake")

    def assert_as_on_cpu(self, graph, *words, uses=True):
        path = self.graph(*graph)
        status, expected, errors = run(path, *words)
        self.assertEqual((status, "[" in expected), (0, True), errors)
        for schedule in ["eager", "lazy"]:
            with self.subTest(schedule=schedule, graph=graph):
                status, found, errors = on_gpu(path, *words, library=self.fake, OPSRUN_DOUBLE_SCHEDULE=schedule)
                self.assertEqual((status, found), (0, expected), errors)
                self.assertEqual(self.used in errors, uses, errors)
                self.assertNotIn("fails with", errors)

    def outcome(self, failure, graph=None):
        """(exit status, whether the results are right, stderr) if the fake library has a failure, CALL:STATUS."""
        path = self.graph(*(graph or self.SMALL))
        status, found, errors = on_gpu(path, library=self.fake, **{f"OPSRUN_FAKE_{self.NAME.upper()}": failure})
        return status, found == run(path)[1], errors

    def assert_is_refused(self, failure, graph):
        status, same, errors = self.outcome(failure, graph)
        self.assertEqual((status, same), (0, True), errors)
        self.assertIn(self.used, errors)
        self.assertIn(f"{failure.split(':')[0]} of {self.library} fails with", errors)
        self.assertIn("so another way is used", errors)

    def assert_fails(self, failure, text):
        status, _, errors = self.outcome(failure)
        self.assertIn(text, errors)
        self.assertIn(status, [1, 5], errors)

    def test_without_a_library_the_results_are_the_same(self):
        path = self.graph(*self.SMALL)
        expected = run(path)[1]
        with tempfile.TemporaryDirectory() as folder:
            fake_driver.hide(folder, *(f"{self.FILE}{version}" for version in self.VERSIONS))
            status, found, errors = on_gpu(path, library=folder)
        self.assertEqual((status, found), (0, expected), errors)
        self.assertEqual(errors.count(f"slower than with {self.NAME}"), 1, errors)
        self.assertIn(f"{self.FILE}{self.VERSIONS[-1]}", errors)

    def test_it_can_be_switched_off(self):
        path = self.graph(*self.SMALL)
        status, found, errors = on_gpu(path, library=self.fake, **{self.SWITCH: "0"})
        self.assertEqual((status, found), (0, run(path)[1]), errors)
        self.assertNotIn(self.NAME.lower(), errors.lower())

    @unittest.skipIf(SANITIZED, "a sanitizer would check the library too")
    def test_the_real_library_has_all_that_is_used(self):
        """The plugin opens it; on the fake driver it finds no card, and reports that."""
        toolkit = pathlib.Path(os.path.realpath(NVCC or "/nowhere/bin/nvcc")).parents[1]
        libraries = [library for folder in ("lib*", "targets/*/lib") for version in self.VERSIONS
                     for library in toolkit.glob(f"{folder}/{self.FILE}{version}")]
        if not libraries:
            self.skipTest(f"the CUDA toolkit has no {self.NAME} here")
        path = self.graph(*self.SMALL)
        for library in libraries:
            status, found, errors = on_gpu(path, library=str(library.parent))
            self.assertEqual((status, found), (0, run(path)[1]), errors)
            self.assertIn(f"{self.NAME.lower()}Create of {library.name} fails with {self.NAME.upper()}_STATUS_", errors)
