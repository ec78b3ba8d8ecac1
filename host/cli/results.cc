// host/cli/results.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/results.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "host/cli/display_text.h"
#include "host/tensor/npy.h"
#include "host/tensor/print.h"

namespace opsrun::host {
namespace {

std::string TypeText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// A result's file that is whole but not yet under its name.
struct Aside {
  size_t output;  // index into the plan's outputs
  std::string path;
  AtomicFile file;
};

void ReportUnwritten(const Plan& plan, size_t output, const Status& status, std::string help,
                     Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.Error("R501", status.message());
  d.file = plan.graph().source->path;
  d.where = plan.outputs[output].output->npy->span;
  d.help = {std::move(help)};
}

// All files, or errors: then those that could be written go away with the answer.
std::vector<Aside> WriteAside(const Plan& plan, const std::vector<Tensor>& results, Diagnostics& diagnostics) {
  std::vector<Aside> files;
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    if (!output.npy) continue;
    std::string path = plan.graph().Resolve(output.npy->value);
    Result<AtomicFile> file = WriteNpyAside(path, results[i]);
    if (file.ok()) {
      files.push_back({i, std::move(path), *std::move(file)});
    } else {
      ReportUnwritten(plan, i, file.status(), "name a file that can be written; no output has changed any file",
                      diagnostics);
    }
  }
  return files;
}

// Gives each file its name. A failure, which takes somebody who changes directories meanwhile, stops it.
void Appear(const Plan& plan, std::vector<Aside>& files, const std::vector<Tensor>& results, Console& console,
            Diagnostics& diagnostics) {
  for (Aside& each : files) {
    const Status status = each.file.Commit();
    if (!status.ok()) {
      return ReportUnwritten(plan, each.output, status,
                             "run it again; the outputs before this one are written, the others are not", diagnostics);
    }
    const std::string& name = plan.outputs[each.output].output->name.value;
    console.Note(fmt::format("{} is in {}: {}", name, each.path, TypeText(results[each.output])));
  }
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
  std::vector<Aside> files = WriteAside(plan, results, diagnostics);
  if (diagnostics.has_errors()) return;
  Appear(plan, files, results, console, diagnostics);
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
