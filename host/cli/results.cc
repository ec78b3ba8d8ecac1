// host/cli/results.cc: what becomes of the results of a run: files, printed tensors, and checks of values.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/session.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

std::string TypeText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// A file that is whole but not yet under its name, and the outputs in it: one, or those of an archive.
struct PendingFile {
  std::string path;
  std::vector<size_t> outputs;  // indices into the plan's outputs
  bool npy;
  std::optional<AtomicFile> file;
};

const GraphOutput& OutputOf(const Plan& plan, size_t i) {
  return *plan.outputs[i].output;
}

void ReportUnwritten(const Plan& plan, const PendingFile& pending, const Status& status, std::string help,
                     Diagnostics& diagnostics) {
  const GraphOutput& output = OutputOf(plan, pending.outputs.front());
  const Span& where = output.file() == nullptr ? output.name.span : output.file()->span;
  diagnostics.Error("R501", status.message(), plan.graph().source->path, where).help = {std::move(help)};
}

// The files to write: those of the graph in the order of its outputs, then those of --output.
std::vector<PendingFile> FindFiles(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more) {
  std::vector<PendingFile> files;
  std::map<std::string, size_t> archives;  // by FileIdentity: index into files
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = OutputOf(plan, i);
    if (output.file() == nullptr || IsMissing(results[i])) continue;
    std::string path = plan.graph().Resolve(output.file()->value);
    const auto [place, is_new] = archives.emplace(FileIdentity(path), files.size());
    if (is_new) files.push_back({std::move(path), {}, output.npy.has_value(), std::nullopt});
    files[place->second].outputs.push_back(i);
  }
  for (const auto& [i, path] : more) {
    if (!IsMissing(results[i])) files.push_back({path, {i}, true, std::nullopt});
  }
  return files;
}

Result<AtomicFile> WriteOneAside(const Plan& plan, const PendingFile& pending, const std::vector<Tensor>& results) {
  if (pending.npy) return WriteNpyAside(pending.path, results[pending.outputs.front()]);
  std::vector<NpzEntry> entries;
  for (const size_t i : pending.outputs) entries.push_back({OutputOf(plan, i).key.value, results[i]});
  return WriteNpzAside(pending.path, entries);
}

// All files, or errors: then those that could be written go away with the answer.
std::vector<PendingFile> WritePendingFiles(const Plan& plan, const std::vector<Tensor>& results,
                                           const OutputFiles& more, Diagnostics& diagnostics) {
  std::vector<PendingFile> files = FindFiles(plan, results, more);
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
    const std::string key = !pending.npy ? ":" + output.key.value : "";
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

OutputFiles FindOutputFiles(const GraphSession& session, const std::vector<FeedArgument>& arguments,
                            Diagnostics& diagnostics) {
  const Plan& plan = session.plan();
  std::vector<GraphFile> in_use = FilesInUse(&plan.graph(), session.options().feeds);
  std::vector<std::string> names;
  for (const PlanOutput& output : plan.outputs) names.push_back(output.output->name.value);
  OutputFiles files;
  for (const FeedArgument& argument : arguments) {
    const auto at = std::ranges::find(names, argument.name);
    const std::string option = "--output " + argument.name;
    if (at == names.end()) {
      diagnostics.all().push_back(MakeError("U005", fmt::format("{}: the graph has no such output", option),
                                            DidYouMean(argument.name, names, "outputs")));
    } else if (std::optional<Diagnostic> refused = RefuseFileInUse(option, argument.path, in_use)) {
      diagnostics.all().push_back(*std::move(refused));
    }
    in_use.push_back({argument.path, FileIdentity(argument.path), option, {}});
    files[static_cast<size_t>(at - names.begin())] = argument.path;
  }
  return files;
}

void WriteResults(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more, Console& console,
                  Diagnostics& diagnostics) {
  const OutputAside::Back back(console.aside());
  std::vector<PendingFile> files = WritePendingFiles(plan, results, more, diagnostics);
  if (diagnostics.has_errors()) return;
  CommitFiles(plan, files, results, console, diagnostics);
}

void PrintResults(const Plan& plan, const std::vector<Tensor>& results, const OutputFiles& more, Console& console) {
  std::string shortened;
  for (size_t i = 0; i < results.size(); ++i) {
    const GraphOutput& output = OutputOf(plan, i);
    if (!output.print || more.contains(i) || IsMissing(results[i])) continue;
    const std::string name = Printable(output.name.value);
    console.Print(fmt::format("{}  {}\n{}\n", name, TypeText(results[i]), PrintTensor(results[i])));
    if (results[i].num_elements() > kMostPrinted) shortened += (shortened.empty() ? "" : ", ") + name;
  }
  if (!shortened.empty())
    console.Note(fmt::format("not all elements of {} are printed; --output NAME=FILE.npy writes them", shortened));
}

void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics) {
  size_t passed = 0;
  std::vector<std::string> missing;
  for (const PlanCheck& check : plan.checks) {
    if (!lane.HasValue(check.value)) {
      missing.push_back(check.name);
      continue;
    }
    const Result<Tensor> found = lane.Value(check.value);
    if (found.ok()) {
      passed += Holds(plan, check, *found, diagnostics) ? 1 : 0;
    } else {
      CheckError(plan, check, "D102", fmt::format("check of '{}': {}", check.name, found.status().message()),
                 diagnostics);
    }
  }
  if (plan.checks.empty()) return;
  std::string text = fmt::format("{} of {} checks passed", passed, plan.checks.size());
  if (!missing.empty()) text += fmt::format("; missing, and so not checked: {}", QuotedNames(missing));
  console.Note(text);
}

}  // namespace opsrun::host
