// host/run/run_once.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/run/run_once.h"

#include <utility>

#include "host/run/lane.h"

namespace opsrun::host {

namespace {

// What fails for other reasons may find in a whole run what it misses here: memory, threads, objects of other nodes.
bool FailsInEveryRun(const RunFailure& failure) {
  return failure.status.code() == OPSRUN_INVALID_ARGUMENT || failure.status.code() == OPSRUN_OUT_OF_RANGE;
}

}  // namespace

std::optional<std::vector<Tensor>> RunOnce(const Plan& plan, const opsrun_host* host, Diagnostics& diagnostics) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  const Result<std::unique_ptr<Lane>> lane = Lane::Create(plan, {device.get(), host});
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
