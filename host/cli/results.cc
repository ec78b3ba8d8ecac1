// host/cli/results.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/results.h"

#include <fmt/format.h>

#include <string>

#include "host/cli/display_text.h"
#include "host/tensor/npy.h"
#include "host/tensor/print.h"

namespace opsrun::host {
namespace {

std::string TypeText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

}  // namespace

std::vector<Tensor> TakeResults(const Plan& plan, const Lane& lane, Diagnostics& diagnostics) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    Result<Tensor> result = lane.Output(i);
    if (result.ok()) {
      results.push_back(*std::move(result));
      continue;
    }
    Diagnostic& d =
        diagnostics.Error("D102", fmt::format("output '{}': {}", output.name.value, result.status().message()));
    d.file = plan.graph().source->path;
    d.where = output.name.span;
  }
  return results;
}

void WriteResults(const Plan& plan, const std::vector<Tensor>& results, Console& console, Diagnostics& diagnostics) {
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    if (!output.npy) continue;
    const std::string path = plan.graph().Resolve(output.npy->value);
    const Status written = WriteNpy(path, results[i]);
    if (written.ok()) {
      console.Note(fmt::format("{} is in {}: {}", output.name.value, path, TypeText(results[i])));
      continue;
    }
    Diagnostic& d = diagnostics.Error("R501", written.message());
    d.file = plan.graph().source->path;
    d.where = output.npy->span;
    d.help = {"name a file that can be written; one that was there before is unchanged"};
  }
}

void PrintResults(const Plan& plan, const std::vector<Tensor>& results, Console& console) {
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    if (!output.print) continue;
    console.Print(
        fmt::format("{}  {}\n{}\n", Printable(output.name.value), TypeText(results[i]), PrintTensor(results[i])));
  }
}

}  // namespace opsrun::host
