"""signals_test.py: Ctrl-C and SIGTERM while a kernel runs.

SPDX-License-Identifier: Apache-2.0
"""

import os
import signal
import subprocess

from built import OPSRUN, TEST_PLUGINS
from in_folder import FolderTest

GRAPH = """opsrun: 1
feeds: {{x: {{value: [1], dtype: int32}}}}
nodes:
  slow: {{op: TestSleep, in: x, attrs: {{seconds: 60, polite: {polite}}}}}
outputs:
  slow: {{from: slow, npy: slow.npy}}
"""


class Signals(FolderTest):
    def run_and_send(self, signals, polite):
        """(exit status, messages, remaining files) of a run that gets these signals once its kernel has begun."""
        graph = self.write("g.yaml", GRAPH.format(polite=str(polite).lower()))
        with subprocess.Popen([OPSRUN, graph.name, "--plugins", TEST_PLUGINS], cwd=self.folder, stderr=subprocess.PIPE,
                              text=True) as process:
            for line in process.stderr:
                if line == "sleeping\n":
                    break
            for number in signals:
                process.send_signal(number)
            told = process.stderr.read()
            return process.wait(timeout=60), told, os.listdir(self.folder)

    def test_ctrl_c_stops_the_run_and_names_the_node(self):
        status, told, files = self.run_and_send([signal.SIGINT], polite=True)
        self.assertEqual(status, 130)
        self.assertIn("error[R402]: stopped by Ctrl-C while node 'slow' was running\n --> g.yaml:4:3\n", told)
        self.assertEqual(files, ["g.yaml"])

    def test_sigterm_does_too(self):
        status, told, _ = self.run_and_send([signal.SIGTERM], polite=True)
        self.assertEqual(status, 143)
        self.assertIn("stopped by SIGTERM while node 'slow' was running", told)

    def test_a_kernel_that_does_not_end_is_left_behind(self):
        status, told, files = self.run_and_send([signal.SIGINT], polite=False)
        self.assertEqual(status, 130)
        self.assertIn("stopped by Ctrl-C while node 'slow' was running", told)
        self.assertIn("did not return when it was asked to", told)
        self.assertEqual(files, ["g.yaml"])

    def test_signals_that_come_together_are_one(self):
        status, told, _ = self.run_and_send([signal.SIGINT, signal.SIGTERM], polite=True)
        self.assertIn(status, (130, 143))
        self.assertNotIn("did not return when it was asked to", told)
