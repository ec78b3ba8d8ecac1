// host/graph/read_outputs.cc: the section "outputs".
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <unordered_map>
#include <utility>

#include "host/base/atomic_file.h"
#include "host/graph/fields.h"
#include "host/graph/read_reference.h"
#include "host/graph/read_sections.h"
#include "host/tensor/npz.h"

namespace opsrun::host {
namespace {

// NAME: REFERENCE, or NAME: {from: REFERENCE, npy: FILE, npz: FILE, key: NAME, print: BOOL}
class OutputReader {
 public:
  OutputReader(Value::Entry& entry, Reporter& reporter) : entry_(entry), reporter_(reporter) {}

  std::optional<GraphOutput> Read() {
    if (!CheckName(entry_, "an output", reporter_)) return std::nullopt;
    output_.name = {entry_.key, entry_.key_span};
    if (entry_.value.kind == Value::Kind::kMap) {
      ReadMap(entry_.value);
    } else {
      ok_ = Take(ReadReference(entry_.value, reporter_), output_.from);
    }
    if (!ok_) return std::nullopt;
    return std::move(output_);
  }

 private:
  void ReadMap(Value& map) {
    static const Fields fields{"an output", {"from", "npy", "npz", "key", "print"}, {}};
    CorrectKeys(map, fields, reporter_);
    ok_ = ReadFrom(map);
    if (const Value* npy = map.Find("npy")) {
      ok_ = Take(ReadText(*npy, "'npy'", "write the path of the file", reporter_), output_.npy) && ok_;
    }
    ok_ = ReadArchive(map) && ok_;
    output_.print = output_.file() == nullptr;
    if (const Value* print = map.Find("print")) {
      ok_ = Take(ReadFlag(*print, "'print'", reporter_), output_.print) && ok_;
    }
  }

  bool ReadFrom(const Value& map) {
    if (const Value* from = map.Find("from")) return Take(ReadReference(*from, reporter_), output_.from);
    return !map.incomplete &&
           reporter_.Refuse("G106", entry_.key_span, fmt::format("output {} has no 'from'", Quote(entry_.key)),
                            "add 'from: NODE' or 'from: NODE.OUTPUT'");
  }

  // 'npz' and 'key', which without a word of its own is the output's name.
  bool ReadArchive(const Value& map) {
    const Value* const npz = map.Find("npz");
    const Value* const key = map.Find("key");
    if (npz != nullptr && output_.npy) {
      Diagnostic& error =
          reporter_.Error("G110", npz->span, fmt::format("output {} has both 'npy' and 'npz'", Quote(entry_.key)));
      error.also.push_back({output_.npy->span, "first one here"});
      error.help.push_back("leave one of them out, or give the other one an output of its own");
      return false;
    }
    if (npz != nullptr) output_.npz = ReadText(*npz, "'npz'", "write the path of the file", reporter_);
    if (!Take(ReadArrayKey(map, output_.name, reporter_), output_.key) || (npz != nullptr && !output_.npz))
      return false;
    return key == nullptr || IsNpzKey(output_.key.value) ||
           reporter_.Refuse("G107", key->span,
                            fmt::format("{} cannot name an array in an .npz file", Quote(output_.key.value)),
                            "such a name has at most 200 bytes and no '/', '\\' or control character");
  }

  Value::Entry& entry_;
  Reporter& reporter_;
  GraphOutput output_;
  bool ok_ = true;
};

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
  OutputList(Graph& graph, Reporter& reporter) : graph_(graph), reporter_(reporter) {}

  void Add(std::optional<GraphOutput> output) {
    if (!output) return;
    const auto [named, new_name] = names_.emplace(output->name.value, output->name.span);
    if (!new_name)
      return Refuse("G103", fmt::format("output {} is defined twice", Quote(named->first)), output->name.span,
                    named->second);
    if (output->file() != nullptr && !TakeFile(*output)) return;
    graph_.outputs.push_back(*std::move(output));
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
    const std::string identity = FileIdentity(graph_.Resolve(file.value));
    const auto [taken, new_file] = files_.emplace(identity, Taken{file.span, output.npz.has_value(), {}});
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

  Graph& graph_;
  Reporter& reporter_;
  std::unordered_map<std::string, Span> names_;
  std::unordered_map<std::string, Taken> files_;  // by FileIdentity: 'a.npy' and './a.npy' are one
};

}  // namespace

void ReadOutputs(Value& section, Graph& graph, Reporter& reporter) {
  OutputList outputs(graph, reporter);
  if (section.kind == Value::Kind::kList) {
    for (const Value& item : section.items) outputs.Add(ReadListedOutput(item, reporter));
  } else if (CheckKind(section, Value::Kind::kMap, "'outputs'", "write a list of references, or a map NAME: REFERENCE",
                       reporter)) {
    for (Value::Entry& entry : section.entries) outputs.Add(OutputReader(entry, reporter).Read());
  }
}

}  // namespace opsrun::host
