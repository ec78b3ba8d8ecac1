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
#include "host/tensor/npz.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

const Fields& OutputFields() {
  static const Fields fields{"an output", {"from", "npy", "npz", "key", "print"}, {}};
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

// 'npz' and 'key', which without a word of its own is the output's name. False after an error.
bool ReadArchive(const Value::Entry& entry, GraphOutput& output, Reporter& reporter) {
  const Value* const npz = entry.value.Find("npz");
  const Value* const key = entry.value.Find("key");
  if (npz == nullptr) {
    if (key == nullptr) return true;
    reporter.Error("G106", key->span, "'key' is the name of an array in an .npz file, and there is no 'npz'")
        .help.push_back("add 'npz: FILE.npz', or leave 'key' out");
    return false;
  }
  if (output.npy) {
    Diagnostic& error =
        reporter.Error("G110", npz->span, fmt::format("output {} has both 'npy' and 'npz'", Quote(entry.key)));
    error.also.push_back({output.npy->span, "first one here"});
    error.help.push_back("leave one of them out, or give the other one an output of its own");
    return false;
  }
  output.npz = ReadText(*npz, "'npz'", "write the path of the file", reporter);
  output.key = {entry.key, entry.key_span};
  if (key == nullptr) return output.npz.has_value();
  std::optional<Located<std::string>> text = ReadText(*key, "'key'", "put the name of the array in quotes", reporter);
  if (!text || !output.npz) return false;
  output.key = *std::move(text);
  if (IsNpzKey(output.key.value)) return true;
  reporter.Error("G107", key->span, fmt::format("{} cannot name an array in an .npz file", Quote(output.key.value)))
      .help.push_back("such a name has at most 200 bytes and no '/', '\\' or control character");
  return false;
}

// {from: REFERENCE, npy: FILE, npz: FILE, key: NAME, print: BOOL}
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
  ok = ReadArchive(entry, output, reporter) && ok;
  output.print = output.file() == nullptr;
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
  GraphOutput output;
  output.name = {entry.key, entry.key_span};
  output.from = *std::move(reference);
  return output;
}

std::optional<GraphOutput> ReadListedOutput(const Value& value, Reporter& reporter) {
  std::optional<Reference> reference = ReadReference(value, reporter);
  if (!reference) return std::nullopt;
  GraphOutput output;
  output.name = {value.text, value.span};
  output.from = *std::move(reference);
  return output;
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
    if (output->file() != nullptr && !TakeFile(*output)) return;
    outputs_.push_back(*std::move(output));
  }

 private:
  struct Taken {
    Span span;
    bool npz = false;
    std::unordered_map<std::string, Span> keys;
  };

  // A file is one output's, but for an archive, which several fill with keys of their own.
  bool TakeFile(const GraphOutput& output) {
    const Located<std::string>& file = *output.file();
    const std::string path = std::filesystem::path(file.value).lexically_normal().string();
    const auto [taken, new_file] = files_.emplace(path, Taken{file.span, output.npz.has_value(), {}});
    if (!new_file && !(taken->second.npz && output.npz)) {
      Refuse("G109", fmt::format("two outputs write {}", Quote(file.value)), file.span, taken->second.span);
      return false;
    }
    if (!output.npz) return true;
    const auto [key, new_key] = taken->second.keys.emplace(output.key.value, output.key.span);
    if (new_key) return true;
    Refuse("G109", fmt::format("two outputs write array {} of {}", Quote(output.key.value), Quote(file.value)),
           output.key.span, key->second);
    return false;
  }

  void Refuse(Code code, std::string message, const Span& second, const Span& first) {
    Diagnostic& error = reporter_.Error(code, second, std::move(message));
    error.label = "second one here";
    error.also.push_back({first, "first one here"});
    error.help.push_back("remove or rename one of them");
  }

  std::vector<GraphOutput>& outputs_;
  Reporter& reporter_;
  std::unordered_map<std::string, Span> names_;
  std::unordered_map<std::string, Taken> files_;  // 'a.npy' and './a.npy' are one
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
