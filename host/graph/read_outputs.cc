// host/graph/read_outputs.cc: the section "outputs".
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_outputs.h"

#include <fmt/core.h>

#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "host/graph/fields.h"
#include "host/graph/read_reference.h"
#include "host/graph/scalar.h"

namespace opsrun::host {
namespace {

const Fields& OutputFields() {
  static const Fields fields{"an output", {"from", "npy", "print"}, {"npz"}};
  return fields;
}

std::optional<bool> ReadPrint(const Value& value, Reporter& reporter) {
  const std::optional<bool> print = AsBool(value);
  if (print) return print;
  Diagnostic& error =
      reporter.Error("G105", value.span, fmt::format("'print' must be true or false, found {}", KindText(value)));
  error.help.push_back("write true or false, without quotes");
  return std::nullopt;
}

// {from: REFERENCE, npy: FILE, print: BOOL}
std::optional<GraphOutput> ReadOutputMap(const Value::Entry& entry, Reporter& reporter) {
  const Value& map = entry.value;
  CheckKeys(map, OutputFields(), reporter);
  const Value* const from = map.Find("from");
  const Value* const npy = map.Find("npy");
  const Value* const print = map.Find("print");
  if (from == nullptr) {
    Diagnostic& error =
        reporter.Error("G106", entry.key_span, fmt::format("output {} has no 'from'", Quote(entry.key)));
    error.help.push_back("add 'from: NODE' or 'from: NODE.OUTPUT'");
  }
  GraphOutput output;
  output.name = {entry.key, entry.key_span};
  bool ok = from != nullptr;
  if (from != nullptr) {
    std::optional<Reference> reference = ReadReference(*from, reporter);
    ok = reference.has_value();
    if (reference) output.from = *std::move(reference);
  }
  if (npy != nullptr) {
    output.npy = ReadText(*npy, "'npy'", "write the path of the file", reporter);
    ok = ok && output.npy;
  }
  output.print = npy == nullptr;
  if (print != nullptr) {
    const std::optional<bool> wanted = ReadPrint(*print, reporter);
    ok = ok && wanted;
    output.print = wanted.value_or(true);
  }
  if (!ok) return std::nullopt;
  return output;
}

std::optional<GraphOutput> ReadNamedOutput(const Value::Entry& entry, Reporter& reporter) {
  if (!CheckName(entry, "an output", reporter)) return std::nullopt;
  if (entry.value.kind == Value::Kind::kMap) return ReadOutputMap(entry, reporter);
  std::optional<Reference> reference = ReadReference(entry.value, reporter);
  if (!reference) return std::nullopt;
  return GraphOutput{{entry.key, entry.key_span}, *std::move(reference), std::nullopt, true};
}

std::optional<GraphOutput> ReadListedOutput(const Value& value, Reporter& reporter) {
  std::optional<Reference> reference = ReadReference(value, reporter);
  if (!reference) return std::nullopt;
  return GraphOutput{{value.text, value.span}, *std::move(reference), std::nullopt, true};
}

// Adds outputs as long as neither their names nor their files are taken.
class OutputList {
 public:
  OutputList(std::vector<GraphOutput>& outputs, Reporter& reporter) : outputs_(outputs), reporter_(reporter) {}

  void Add(std::optional<GraphOutput> output) {
    if (!output) return;
    const auto [named, new_name] = names_.emplace(output->name.value, output->name.span);
    if (!new_name)
      return Refuse("G103", fmt::format("output {} is defined twice", Quote(named->first)), output->name.span,
                    named->second);
    if (output->npy) {
      const std::string& path = output->npy->value;
      const auto [file, new_file] =
          files_.emplace(std::filesystem::path(path).lexically_normal().string(), output->npy->span);
      if (!new_file)
        return Refuse("G109", fmt::format("two outputs write {}", Quote(path)), output->npy->span, file->second);
    }
    outputs_.push_back(*std::move(output));
  }

 private:
  void Refuse(const char* code, std::string message, const Span& second, const Span& first) {
    Diagnostic& error = reporter_.Error(code, second, std::move(message));
    error.label = "second one here";
    error.also.push_back({first, "first one here"});
    error.help.push_back("remove or rename one of them");
  }

  std::vector<GraphOutput>& outputs_;
  Reporter& reporter_;
  std::unordered_map<std::string, Span> names_;
  std::unordered_map<std::string, Span> files_;  // 'a.npy' and './a.npy' are one
};

}  // namespace

void ReadOutputs(const Value& section, Graph& graph, Reporter& reporter) {
  OutputList outputs(graph.outputs, reporter);
  if (section.kind == Value::Kind::kList) {
    for (const Value& item : section.items) outputs.Add(ReadListedOutput(item, reporter));
  } else if (CheckKind(section, Value::Kind::kMap, "'outputs'", "write a list of references, or a map NAME: REFERENCE",
                       reporter)) {
    for (const Value::Entry& entry : section.entries) outputs.Add(ReadNamedOutput(entry, reporter));
  }
}

}  // namespace opsrun::host
