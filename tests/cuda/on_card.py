"""on_card.py: runs a test on a card. Without one, prints the reason and exits with 77, which ctest reports as SKIPPED.

usage: on_card.py --opsrun PROGRAM -- COMMAND...

The command runs with OPSRUN_TEST_DEVICE=gpu, which tests of plugins read (opsrun/testing.h), and with cuBLAS and cuDNN.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--opsrun", required=True)
parser.add_argument("command", nargs="+")
options = parser.parse_args()

doctor = subprocess.run([options.opsrun, "doctor", "--json"], capture_output=True, text=True, check=True)
cuda = json.loads(doctor.stdout)["cuda"]
if not any(line.startswith("card ") for line in cuda):  # a line without "card" says why there is none
    print(f"SKIPPED: {cuda}")
    sys.exit(77)
print(*cuda, sep="\n", flush=True)
# Tests have their own home directory, where the driver would put its cache of compiled kernels.
cache = os.environ.get("CUDA_CACHE_PATH", os.path.expanduser("~/.nv/ComputeCache"))
os.execvpe(options.command[0], options.command,
           {**os.environ, "OPSRUN_TEST_DEVICE": "gpu", "OPSRUN_CUBLAS": "1", "OPSRUN_CUDNN": "1",
            "CUDA_CACHE_PATH": cache})
