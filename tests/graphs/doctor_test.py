"""doctor_test.py: what opsrun doctor reports about a machine.

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from built import BUILD, FAKE_CUDA, OPSRUN


def doctor(*words, program=OPSRUN, **environment):
    done = subprocess.run([program, "doctor", *words], capture_output=True, text=True, check=True,
                          env={"PATH": "/usr/bin:/bin", "HOME": "/nowhere", **environment})
    return done.stdout


class Doctor(unittest.TestCase):
    def test_both_formats_have_the_same_facts(self):
        facts = json.loads(doctor("--json"))
        text = doctor()
        self.assertEqual(list(facts), ["opsrun", "program", "processor", "libraries", "probe", "verdicts", "cuda",
                                       "plugins"])
        self.assertEqual([line.split()[0] for line in text.splitlines() if not line.startswith(" ")], list(facts))
        self.assertIn(f"opsrun     {facts['opsrun']['version']}, level {facts['opsrun']['level']}, built with ", text)
        self.assertIn(f"glibc {facts['libraries']['glibc']}, GLIBCXX_{facts['libraries']['GLIBCXX']}, ", text)
        self.assertIn(f"{facts['processor']['cpus']} CPU", text)
        for place in facts["plugins"]:
            self.assertIn(f"{place['directory']} ({place['plugins']} plugin", text)

    def test_cards_of_the_driver_are_listed(self):
        text = doctor(LD_LIBRARY_PATH=FAKE_CUDA)
        for line in ("driver for CUDA 12.4, 2 cards", "card 0: Card of handle 7, sm_86, 7.00 GiB",
                     "card 1: Card of handle 8, sm_96, 8.00 GiB"):
            self.assertIn(line, text)
        cuda = json.loads(doctor("--json", LD_LIBRARY_PATH=FAKE_CUDA))["cuda"]
        self.assertEqual(cuda, {"problem": None, "driver": "12.4", "cards": [
            {"name": "Card of handle 7", "sm": 86, "memory_bytes": 7 << 30},
            {"name": "Card of handle 8", "sm": 96, "memory_bytes": 8 << 30}]})

    def test_a_driver_that_fails_is_named_with_its_error(self):
        for error, says in {"100": "the CUDA driver finds no GPU",
                            "34": "no CUDA driver: libcuda.so.1 is the stub that programs are linked with",
                            "999": "the CUDA driver cannot be used: "
                                   "cuInit failed: the driver is a fake (CUDA_ERROR_FAKE, 999)"}.items():
            cuda = json.loads(doctor("--json", LD_LIBRARY_PATH=FAKE_CUDA, FAKE_CUDA_INIT=error))["cuda"]
            self.assertEqual((cuda["problem"], cuda["cards"]), (says, []))

    def test_a_driver_that_is_too_old_is_named_with_what_is_needed(self):
        self.assertEqual(json.loads(doctor("--json", LD_LIBRARY_PATH=str(BUILD / "tests/graphs/old_cuda")))["cuda"]["problem"],
                         "the CUDA driver is too old (CUDA 11.2): CUDA 11.4 or later is needed, and it has no "
                         "cuGetErrorName")

    def test_cards_that_are_hidden_are_said_to_be(self):
        hidden = {"LD_LIBRARY_PATH": FAKE_CUDA, "CUDA_VISIBLE_DEVICES": ""}
        self.assertIn("2 cards (CUDA_VISIBLE_DEVICES is '')", doctor(**hidden))
        self.assertIn("finds no GPU (CUDA_VISIBLE_DEVICES is '')", doctor(FAKE_CUDA_INIT="100", **hidden))

    def test_folders_come_from_the_environment(self):
        self.assertIn("/nowhere/.cache/opsrun/verdicts", doctor())
        self.assertIn("/else/opsrun/verdicts", doctor(XDG_CACHE_HOME="/else"))
        self.assertIn("not kept", doctor(HOME="relative"))

    def test_a_missing_probe_is_named(self):
        self.assertRegex(doctor(), r"probe +/.*/opsrun-probe, 10 s at most")
        self.assertRegex(doctor("--no-probe"), "probe +off")
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(OPSRUN, pathlib.Path(folder, "opsrun"))
            self.assertIn("missing", doctor(program=alone))
