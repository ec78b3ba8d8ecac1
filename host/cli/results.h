// host/cli/results.h: the outputs of a run: taken, written to files, printed, compared with what the graph expects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/base/diagnostic.h"
#include "host/cli/console.h"
#include "host/plan/plan.h"
#include "host/run/lane.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// One tensor per output of the plan; an error (D102) if there is no memory for one. Requires: the lane's last run
// succeeded.
std::vector<Tensor> TakeResults(const Plan& plan, const Lane& lane, Diagnostics& diagnostics);

// Writes the .npy files that the outputs ask for: all of them, or none. An error (R501) for each that cannot be
// written; files that were there before then stay as they were.
void WriteResults(const Plan& plan, const std::vector<Tensor>& results, Console& console, Diagnostics& diagnostics);

// "name  float32 [2, 3]" and the elements, of each output that is to be shown.
void PrintResults(const Plan& plan, const std::vector<Tensor>& results, Console& console);

// An error R405 for each check that does not hold, and one line on how many do, if the graph has any. Requires: the
// lane's last run succeeded.
void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics);

}  // namespace opsrun::host
