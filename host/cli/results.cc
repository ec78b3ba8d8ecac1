// host/cli/results.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/tensor/npy.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

std::string TypeText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// A file that is whole but not yet under its name, and the outputs in it: one, or those of an archive.
struct PendingFile {
  std::string path;
  std::vector<size_t> outputs;  // indices into the plan's outputs
  std::optional<AtomicFile> file;
};

const GraphOutput& OutputOf(const Plan& plan, size_t i) {
  return *plan.outputs[i].output;
}

void ReportUnwritten(const Plan& plan, const PendingFile& pending, const Status& status, std::string help,
                     Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.Error("R501", status.message());
  d.file = plan.graph().source->path;
  d.where = OutputOf(plan, pending.outputs.front()).file()->span;
  d.help = {std::move(help)};
}

// The files to write, in the order of the outputs.
std::vector<PendingFile> FindFiles(const Plan& plan, size_t outputs) {
  std::vector<PendingFile> files;
  std::map<std::string, size_t> archives;  // by FileIdentity: index into files
  for (size_t i = 0; i < outputs; ++i) {
    const GraphOutput& output = OutputOf(plan, i);
    if (output.file() == nullptr) continue;
    std::string path = plan.graph().Resolve(output.file()->value);
    const auto [place, is_new] = archives.emplace(FileIdentity(path), files.size());
    if (is_new) files.push_back({std::move(path), {}, std::nullopt});
    files[place->second].outputs.push_back(i);
  }
  return files;
}

Result<AtomicFile> WriteOneAside(const Plan& plan, const PendingFile& pending, const std::vector<Tensor>& results) {
  if (OutputOf(plan, pending.outputs.front()).npy) return WriteNpyAside(pending.path, results[pending.outputs.front()]);
  std::vector<NpzEntry> entries;
  for (const size_t i : pending.outputs) entries.push_back({OutputOf(plan, i).key.value, results[i]});
  return WriteNpzAside(pending.path, entries);
}

// All files, or errors: then those that could be written go away with the answer.
std::vector<PendingFile> WritePendingFiles(const Plan& plan, const std::vector<Tensor>& results,
                                           Diagnostics& diagnostics) {
  std::vector<PendingFile> files = FindFiles(plan, results.size());
  for (PendingFile& each : files) {
    Result<AtomicFile> file = WriteOneAside(plan, each, results);
    if (file.ok()) {
      each.file.emplace(*std::move(file));
    } else {
      ReportUnwritten(plan, each, file.status(), "use a writable path; no file was changed", diagnostics);
    }
  }
  return files;
}

void TellWritten(const Plan& plan, const PendingFile& pending, const std::vector<Tensor>& results, Console& console) {
  for (const size_t i : pending.outputs) {
    const GraphOutput& output = OutputOf(plan, i);
    const std::string key = output.npz ? ":" + output.key.value : "";
    console.Note(fmt::format("wrote {} to {}{}: {}", output.name.value, pending.path, key, TypeText(results[i])));
  }
}

// Gives each file its name, then writes the streams. A failure stops it.
void CommitFiles(const Plan& plan, std::vector<PendingFile>& files, const std::vector<Tensor>& results,
                 Console& console, Diagnostics& diagnostics) {
  // A reader that goes away early must not keep files from being written.
  std::vector<PendingFile*> ordered;
  for (PendingFile& each : files) ordered.push_back(&each);
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const PendingFile* each) { return !each->file->is_stream(); });
  for (PendingFile* const each : ordered) {
    const Status status = each->file->Commit();
    if (!status.ok()) {
      return ReportUnwritten(plan, *each, status,
                             "run it again; only the outputs that were reported before this are complete", diagnostics);
    }
    TellWritten(plan, *each, results, console);
  }
}

Diagnostic& CheckError(const Plan& plan, const PlanCheck& check, Code code, std::string message,
                       Diagnostics& diagnostics) {
  return diagnostics.Error(code, std::move(message), plan.graph().source->path, check.check->from.span);
}

// "3 of 12 elements differ; here the difference is 0.5, but at most 1e-05 is allowed (rtol 1e-05, atol 1e-08)"
std::string ExtentText(const Tensor& found, const PlanCheck& check, const Comparison& comparison) {
  const auto all = static_cast<size_t>(found.num_elements());
  std::string text =
      fmt::format("{} of {} differ{}", comparison.wrong, Several(all, "element"), comparison.wrong == 1 ? "s" : "");
  if (!std::isfinite(comparison.difference)) return text;
  return text + fmt::format("; here the difference is {:.6g}, but at most {:.6g} is allowed (rtol {:g}, atol {:g})",
                            comparison.difference, comparison.allowed, check.tolerance.rtol, check.tolerance.atol);
}

bool Holds(const Plan& plan, const PlanCheck& check, const Tensor& found, Diagnostics& diagnostics) {
  if (found.shape() != check.expected.shape()) {
    CheckError(plan, check, "R405",
               fmt::format("check of '{}' failed: it has shape {}, expected {}", check.name, ShapeText(found.shape()),
                           ShapeText(check.expected.shape())),
               diagnostics);
    return false;
  }
  const Comparison worst = CompareTensors(found, check.expected, check.tolerance);
  if (worst.wrong == 0) return true;
  const std::string place = found.shape().empty() ? "" : " at " + IndexText(found.shape(), worst.place);
  const std::string is = ElementText(found, worst.place), should_be = ElementText(check.expected, worst.place);
  Diagnostic& error = CheckError(
      plan, check, "R405",
      fmt::format("check of '{}' failed{}: found {}, expected {}", check.name, place, is, should_be), diagnostics);
  error.notes.push_back(ExtentText(found, check, worst));
  if (is == should_be) {
    error.help.push_back("NaN is not equal to NaN unless the check sets equal_nan: true");
  }
  return false;
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
  std::vector<PendingFile> files = WritePendingFiles(plan, results, diagnostics);
  if (diagnostics.has_errors()) return;
  CommitFiles(plan, files, results, console, diagnostics);
}

void PrintResults(const Plan& plan, const std::vector<Tensor>& results, Console& console) {
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = *plan.outputs[i].output;
    if (!output.print) continue;
    console.Print(
        fmt::format("{}  {}\n{}\n", Printable(output.name.value), TypeText(results[i]), PrintTensor(results[i])));
  }
}

void PrintProgress(const Plan& plan, const std::vector<Tensor>& results, uint32_t run, Console& console) {
  std::string scalars;
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_shown = OutputOf(plan, i).print && results[i].shape().empty();
    if (is_shown) scalars += fmt::format("  {} {}", OutputOf(plan, i).name.value, PrintTensor(results[i]));
  }
  console.Print(fmt::format("run {}{}\n", run, scalars));
  if (scalars.empty()) PrintResults(plan, results, console);
}

void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics) {
  size_t passed = 0;
  for (const PlanCheck& check : plan.checks) {
    const Result<Tensor> found = lane.Value(check.value);
    if (found.ok()) {
      passed += Holds(plan, check, *found, diagnostics) ? 1 : 0;
    } else {
      CheckError(plan, check, "D102", fmt::format("check of '{}': {}", check.name, found.status().message()),
                 diagnostics);
    }
  }
  if (plan.checks.empty()) return;
  console.Note(fmt::format("{} of {} checks passed", passed, plan.checks.size()));
}

}  // namespace opsrun::host
