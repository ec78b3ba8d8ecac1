// host/cli/results.h: the outputs of a run: copied, written to files, printed, and compared with the expected values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/cli/console.h"
#include "host/plan/plan.h"
#include "host/run/lane.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// One tensor per output of the plan. Error D102: out of memory. Requires: the last run of the lane succeeded.
std::vector<Tensor> TakeResults(const Plan& plan, const Lane& lane, Diagnostics& diagnostics);

// Writes the .npy files of the outputs: all of them, or none. Error R501 for each file that cannot be written; existing
// files are then unchanged.
void WriteResults(const Plan& plan, const std::vector<Tensor>& results, Console& console, Diagnostics& diagnostics);

// Prints "name  float32 [2, 3]" and the elements of each output that is not hidden.
void PrintResults(const Plan& plan, const std::vector<Tensor>& results, Console& console);

// The same on one line for the scalars among them, "run 50  loss 0.25"; if there are none, all of them under "run 50".
void PrintProgress(const Plan& plan, const std::vector<Tensor>& results, uint32_t run, Console& console);

// Error R405 for each failed check, and one line with the number of successful ones, if the graph has checks. Requires:
// the last run of the lane succeeded.
void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics);

}  // namespace opsrun::host
