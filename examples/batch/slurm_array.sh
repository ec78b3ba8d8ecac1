#!/usr/bin/env bash
# A job array of Slurm, whose tasks share the items of a batch: each runs every 16th. Submit it with
#     sbatch examples/batch/slurm_array.sh
# and again if tasks have failed: what is finished does not run again. Afterwards, opsrun batch --merge --out results
# joins the journals.
#SBATCH --job-name=digits
#SBATCH --array=1-16
#SBATCH --cpus-per-task=2
#SBATCH --time=00:10:00
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
exec opsrun batch digits.yaml --feed image='images/*.npy' --out results --keep-going \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --threads "${SLURM_CPUS_PER_TASK:-1}"
