// host/run/constant_runner.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/constant_runner.h"

#include <utility>

#include "host/run/lane.h"

namespace opsrun::host {
namespace {

// With other codes the kernel may succeed in a whole run, which has more memory, threads, and objects of other nodes.
bool FailsInEveryRun(const RunFailure& failure) {
  return failure.status.code() == OPSRUN_INVALID_ARGUMENT || failure.status.code() == OPSRUN_OUT_OF_RANGE;
}

}  // namespace

std::optional<std::vector<Tensor>> ConstantRunner::Run(const Plan& plan, Diagnostics& diagnostics) {
  const Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, {&device_, host_});
  if (!lane.ok()) return std::nullopt;
  if (const std::optional<RunFailure> failure = (*lane)->Run()) {
    if (FailsInEveryRun(*failure)) diagnostics.all().push_back(DescribeFailure(plan, *failure));
    return std::nullopt;
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    Result<Tensor> output = (*lane)->Output(i);
    if (!output.ok()) return std::nullopt;
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

}  // namespace opsrun::host
