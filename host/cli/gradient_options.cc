// host/cli/gradient_options.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/gradient_options.h"

#include <fmt/format.h>

#include "host/engine/check_graph.h"
#include "host/gradient/gradient_text.h"
#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

std::optional<Reference> ReferenceFrom(const std::string& text) {
  const SourceFile nowhere{};
  Diagnostics ignored;
  Reporter reporter(nowhere, ignored);
  return ReadReference(StringValue(text), reporter);
}

Diagnostic NoReference(const char* option, const std::string& text) {
  return MakeError(
      "U005", fmt::format("{}: '{}' does not name a tensor", option, text),
      "write the name of a feed or a node, NODE.OUTPUT or NODE.OUTPUT.INDEX; separate several with commas");
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<Diagnostic> TakeOf(const std::string& words, std::vector<GradientOf>& of) {
  for (const std::string& word : SplitAtCommas(words)) {
    const size_t equals = word.find('=');
    const std::optional<Reference> tensor = ReferenceFrom(word.substr(0, equals));
    if (!tensor) return NoReference("--of", word.substr(0, equals));
    GradientOf& each = of.emplace_back(GradientOf{*tensor, std::nullopt});
    if (equals == std::string::npos) continue;
    each.gradient = ReferenceFrom(word.substr(equals + 1));
    if (!each.gradient) return NoReference("--of", word.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<Diagnostic> TakeWrt(const std::string& words, std::vector<Reference>& wrt) {
  for (const std::string& word : SplitAtCommas(words)) {
    std::optional<Reference> tensor = ReferenceFrom(word);
    if (!tensor) return NoReference("--wrt", word);
    wrt.push_back(*std::move(tensor));
  }
  return std::nullopt;
}

}  // namespace

void AddGradientRequest(Options& options, GradientRequest& request) {
  options.Each(
      "--of TENSORS", [&](const std::string& words) { return TakeOf(words, request.of); },
      "the tensors to differentiate: A, or A,B for the sum of both; A=SEED: the gradient of A\n"
      "is the tensor SEED of the graph, instead of ones");
  options.Each(
      "--wrt TENSORS", [&](const std::string& words) { return TakeWrt(words, request.wrt); },
      "the feeds and outputs of nodes with respect to which to differentiate, separated by commas");
}

std::optional<Diagnostic> CheckGradientRequest(const GradientRequest& request, std::string_view command) {
  if (!request.of.empty() && !request.wrt.empty()) return std::nullopt;
  return MakeError("U003", fmt::format("opsrun {} needs {}", command, request.of.empty() ? "--of" : "--wrt"),
                   fmt::format("for example: opsrun {} graph.yaml --of loss --wrt w,b", command));
}

int ReportGradient(Engine& engine, const RegisteredOp& op, Console& console) {
  if (op.gradient.empty()) return kExitOk;
  Diagnostics found;
  CheckDeclaredGradient(engine, op, found);
  for (Diagnostic& d : found.all()) {
    d.notes.push_back(fmt::format("op '{}' still runs, but graphs with it cannot be differentiated", op.def.name));
  }
  return console.Report(found, GradientSource(op).get());
}

}  // namespace opsrun::host
