"""bench/run_peers.py with opsrun and NumPy: what it measures, and what it reports of a peer that is missing.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import subprocess
import sys

RUN_PEERS = pathlib.Path(__file__).resolve().parents[2] / "bench/run_peers.py"


def test_a_row_of_two_peers(tmp_path):
    made = subprocess.run([sys.executable, "-B", RUN_PEERS, "--quick", "--only", "i", "--rows", "Pad of an image", "--no-install",
                           "--python", f"opsrun={sys.executable}", "--python", f"numpy={sys.executable}", "--peers", "opsrun,numpy,torch",
                           "--python", f"torch={tmp_path}/python"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    row = next(line for line in made.stdout.splitlines() if line.startswith("Pad of an image"))
    assert len(re.findall(r"[\d.]+ \[[\d.]+\]", row)) == 2, row
    assert re.search(r"NumPy [\d.]+$", row), row
    assert f"no PyTorch: {tmp_path}/python: No such file or directory" in made.stdout
    assert "no TensorFlow: not asked for" in made.stdout


def test_an_unknown_part():
    made = subprocess.run([sys.executable, "-B", RUN_PEERS, "--only", "a,z"], capture_output=True, text=True, check=False)
    assert made.returncode == 2
    assert "unknown: z; there are a, b, c" in made.stderr
