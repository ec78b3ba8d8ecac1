"""on_card.py: runs a test on a card. Without one, says why and ends with 77, which ctest calls SKIPPED.

usage: on_card.py --opsrun PROGRAM -- COMMAND...

The command runs with OPSRUN_TEST_DEVICE=gpu, which tests of plugins read (opsrun/testing/op_test.h), and with cuBLAS.

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
if not any(line.startswith("card ") for line in cuda):  # a text alone says why there is none
    print(f"SKIPPED: {cuda}")
    sys.exit(77)
print(*cuda, sep="\n", flush=True)
# Tests have a home directory of their own, in which the driver would leave its cache of compiled kernels.
cache = os.environ.get("CUDA_CACHE_PATH", os.path.expanduser("~/.nv/ComputeCache"))
os.execvpe(options.command[0], options.command,
           {**os.environ, "OPSRUN_TEST_DEVICE": "gpu", "OPSRUN_CUBLAS": "1", "CUDA_CACHE_PATH": cache})
