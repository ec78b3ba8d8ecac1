// host/engine/lock_file.cc: the text of a lock, written and read.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/engine/lock.h"
#include "host/graph/read_graph.h"
#include "host/spec/parse_op.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

constexpr size_t kLineWidth = 100;
constexpr char kFormatKey[] = "opsrun_lock";
constexpr char kHelpWriteAgain[] = "write it again: opsrun lock --update GRAPH";

std::string TensorText(const LockedTensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype), tensor.rank_known ? ShapeText(tensor.shape) : "?");
}

}  // namespace

std::string LockedTensorsText(const std::vector<LockedTensor>& tensors) {
  std::string text;
  for (const LockedTensor& tensor : tensors) text += (text.empty() ? "" : ", ") + TensorText(tensor);
  return text;
}

namespace {

Value TextsValue(const std::vector<std::string>& texts) {
  Value list = ListValue();
  for (const std::string& text : texts) list.items.push_back(StringValue(text));
  return list;
}

Value PluginValue(const LockedPlugin& plugin) {
  Value map = MapValue();
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) AddEntry(map, key, StringValue(text));
  };
  add("version", plugin.version);
  add("build_id", plugin.build_id);
  add("xxh3_128", plugin.digest);
  return map;
}

Value OpValue(const LockedOp& op) {
  const spec::OpStrings strings = spec::StringsOf(op.def);
  Value map = MapValue();
  AddEntry(map, "plugin", StringValue(op.plugin));
  if (!strings.inputs.empty()) AddEntry(map, "inputs", TextsValue(strings.inputs));
  if (!strings.outputs.empty()) AddEntry(map, "outputs", TextsValue(strings.outputs));
  if (!strings.attrs.empty()) AddEntry(map, "attrs", TextsValue(strings.attrs));
  return map;
}

Value TypesValue(const std::vector<LockedValue>& values) {
  Value map = MapValue();
  for (const LockedValue& value : values) AddEntry(map, value.name, StringValue(TensorText(value.type)));
  return map;
}

// Names in lines, which WriteYaml would write as one line.
std::string NodesText(const std::vector<LockedNodes>& all) {
  if (all.empty()) return "nodes: []\n";
  std::string text = "nodes:\n";
  for (const LockedNodes& nodes : all) {
    text += fmt::format("  - results: \"{}\"\n    names: >-\n", LockedTensorsText(nodes.results));
    std::string_view rest = nodes.names;
    while (!rest.empty()) {
      size_t end = rest.size();
      if (end > kLineWidth) end = rest.rfind(' ', kLineWidth);
      if (end == rest.npos) end = std::min(rest.find(' '), rest.size());
      text += fmt::format("      {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return text;
}

}  // namespace

std::string LockText(const Lock& lock) {
  Value root = MapValue();
  AddEntry(root, kFormatKey, PlainValue("1"));
  Value plugins = MapValue(), ops = MapValue(), arrays = MapValue(), results = MapValue();
  for (const LockedPlugin& plugin : lock.plugins) AddEntry(plugins, plugin.name.value, PluginValue(plugin));
  for (const LockedOp& op : lock.ops) AddEntry(ops, op.name, OpValue(op));
  for (const LockedArray& array : lock.arrays) {
    Value digest = MapValue();
    AddEntry(digest, "xxh3_128", StringValue(array.digest));
    AddEntry(arrays, array.feed, std::move(digest));
  }
  AddEntry(root, "plugins", std::move(plugins));
  AddEntry(root, "ops", std::move(ops));
  AddEntry(root, "feeds", TypesValue(lock.feeds));
  AddEntry(root, "arrays", std::move(arrays));
  AddEntry(results, "results", TypesValue(lock.results));
  return WriteYaml(root) + NodesText(lock.nodes) + WriteYaml(results);
}

namespace {

using spec::TextCursor;

// "float32 [2, ?]". False if the text at the cursor is something else.
bool TakeTensor(TextCursor& cursor, LockedTensor& tensor) {
  const std::optional<DType> dtype = DTypeFromName(cursor.TakeWhile(spec::IsNameChar));
  if (!dtype || !IsDType(*dtype) || !cursor.Take(' ')) return false;
  tensor.dtype = *dtype;
  tensor.rank_known = !cursor.Take('?');
  if (!tensor.rank_known) return true;
  if (!cursor.Take('[')) return false;
  if (cursor.Take(']')) return true;
  do {
    int64_t size = -1;
    if (!cursor.Take('?') && !spec::ReadIntFrom(int64_t{0}, &cursor, &size)) return false;
    tensor.shape.push_back(size);
    if (tensor.shape.size() > OPSRUN_MAX_RANK) return false;
  } while (cursor.Take(", "));
  return cursor.Take(']');
}

bool AreNames(std::string_view text) {
  while (true) {
    const size_t end = std::min(text.find(' '), text.size());
    if (!IsName(text.substr(0, end))) return false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

class LockReader {
 public:
  LockReader(const SourceFile& source, Diagnostics& diagnostics) : reporter_(source, diagnostics) {}

  bool Read(const Value& root, Lock& lock) {
    if (!CheckKind(root, Value::Kind::kMap, "a lock", "begin with 'opsrun_lock: 1'", reporter_)) return false;
    if (!CheckFormat(root, "lock", reporter_, kFormatKey)) return false;
    static const Fields fields{"a lock", {kFormatKey, "plugins", "ops", "feeds", "arrays", "nodes", "results"}, {}};
    CheckKeys(root, fields, reporter_);
    ForEach(root, "plugins", [&](const Value::Entry& entry) { ReadPlugin(entry, lock); });
    ForEach(root, "ops", [&](const Value::Entry& entry) { ReadOp(entry, lock); });
    ForEach(root, "feeds", [&](const Value::Entry& entry) { ReadType(entry, lock.feeds); });
    ForEach(root, "arrays", [&](const Value::Entry& entry) { ReadArray(entry, lock); });
    ForEach(root, "results", [&](const Value::Entry& entry) { ReadType(entry, lock.results); });
    if (const Value* const nodes = Section(root, "nodes", Value::Kind::kList)) {
      for (const Value& item : nodes->items) ReadNodes(item, lock);
    }
    return true;
  }

 private:
  // Null after an error.
  const Value* Section(const Value& root, const char* key, Value::Kind kind) {
    const Value* const section = root.Find(key);
    if (section == nullptr) {
      const Span where = root.entries.empty() ? root.span : root.entries.front().key_span;
      reporter_.Refuse("G106", where, fmt::format("the lock has no '{}'", key), kHelpWriteAgain);
      return nullptr;
    }
    return CheckKind(*section, kind, fmt::format("'{}'", key), kHelpWriteAgain, reporter_) ? section : nullptr;
  }

  template <typename Fn>
  void ForEach(const Value& root, const char* key, const Fn& read) {
    const Value* const section = Section(root, key, Value::Kind::kMap);
    if (section == nullptr) return;
    for (const Value::Entry& entry : section->entries) read(entry);
  }

  // Empty if the map lacks it, or after an error.
  std::string Text(const Value& map, const char* key) {
    std::optional<Located<std::string>> text;
    TakeText(map, key, kHelpWriteAgain, text, reporter_);
    return text ? text->value : "";
  }

  bool IsMap(const Value::Entry& entry, const Fields& fields) {
    if (!CheckKind(entry.value, Value::Kind::kMap, Quote(entry.key), kHelpWriteAgain, reporter_)) return false;
    CheckKeys(entry.value, fields, reporter_);
    return true;
  }

  void ReadPlugin(const Value::Entry& entry, Lock& lock) {
    static const Fields fields{"a plugin of a lock", {"version", "build_id", "xxh3_128"}, {}};
    if (!IsMap(entry, fields)) return;
    lock.plugins.push_back({{entry.key, entry.key_span},
                            Text(entry.value, "version"),
                            Text(entry.value, "build_id"),
                            Text(entry.value, "xxh3_128")});
  }

  std::vector<std::string> Texts(const Value& map, const char* key) {
    const Value* const list = map.Find(key);
    std::vector<std::string> texts;
    if (list == nullptr || !CheckKind(*list, Value::Kind::kList, fmt::format("'{}'", key), kHelpWriteAgain, reporter_))
      return texts;
    for (const Value& item : list->items) {
      if (auto text = ReadText(item, fmt::format("an item of '{}'", key), kHelpWriteAgain, reporter_))
        texts.push_back(std::move(text->value));
    }
    return texts;
  }

  void ReadOp(const Value::Entry& entry, Lock& lock) {
    static const Fields fields{"an op of a lock", {"plugin", "inputs", "outputs", "attrs"}, {}};
    if (!IsMap(entry, fields)) return;
    LockedOp& op = lock.ops.emplace_back();
    op.name = entry.key;
    op.plugin = Text(entry.value, "plugin");
    spec::OpStrings strings;
    strings.name = ParseOpRequest(entry.key).op;
    strings.inputs = Texts(entry.value, "inputs");
    strings.outputs = Texts(entry.value, "outputs");
    strings.attrs = Texts(entry.value, "attrs");
    strings.of_later_level = true;
    for (const spec::SpecError& error : spec::ParseOp(strings, &op.def)) {
      reporter_.Refuse("G105", entry.value.span,
                       fmt::format("op {} cannot be read: {}: {}", Quote(entry.key), Quote(error.spec), error.message),
                       kHelpWriteAgain);
    }
  }

  std::optional<std::vector<LockedTensor>> ReadTensors(const Value& value) {
    const std::string* const text = FindText(value);
    std::vector<LockedTensor> tensors;
    if (text != nullptr && text->empty()) return tensors;
    TextCursor cursor(text == nullptr ? std::string_view() : *text);
    bool good = true;
    do {
      good = TakeTensor(cursor, tensors.emplace_back());
    } while (good && cursor.Take(", "));
    if (good && cursor.AtEnd()) return tensors;
    return RefuseType(value);
  }

  ErrorReported RefuseType(const Value& value) {
    return reporter_.Refuse(
        "G105", value.span,
        fmt::format("expected a type and a shape such as 'float32 [2, ?]', found {}", FoundText(value)),
        kHelpWriteAgain);
  }

  void ReadType(const Value::Entry& entry, std::vector<LockedValue>& values) {
    std::optional<std::vector<LockedTensor>> tensors = ReadTensors(entry.value);
    if (!tensors) return;
    if (tensors->size() == 1) {
      values.push_back({entry.key, std::move(tensors->front())});
    } else {
      RefuseType(entry.value);
    }
  }

  void ReadArray(const Value::Entry& entry, Lock& lock) {
    static const Fields fields{"an array of a lock", {"xxh3_128"}, {}};
    if (IsMap(entry, fields)) lock.arrays.push_back({entry.key, Text(entry.value, "xxh3_128")});
  }

  void ReadNodes(const Value& item, Lock& lock) {
    static const Fields fields{"nodes of a lock", {"results", "names"}, {}};
    if (!CheckKind(item, Value::Kind::kMap, "an item of 'nodes'", kHelpWriteAgain, reporter_)) return;
    CheckKeys(item, fields, reporter_);
    LockedNodes& nodes = lock.nodes.emplace_back();
    if (const Value* const results = item.Find("results"))
      nodes.results = ReadTensors(*results).value_or(nodes.results);
    const Value* const names = item.Find("names");
    const std::string* const text = names == nullptr ? nullptr : FindText(*names);
    if (text != nullptr && AreNames(*text)) {
      nodes.names = *text;
    } else {
      reporter_.Refuse("G105", names == nullptr ? item.span : names->span,
                       "expected 'names' of nodes, with a space between them", kHelpWriteAgain);
    }
  }

  Reporter reporter_;
};

}  // namespace

std::optional<Lock> ReadLock(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics) {
  Diagnostics found;
  const std::optional<Value> root = ReadYaml(*source, found);
  Lock lock;
  lock.source = source;
  const bool read = root && LockReader(*source, found).Read(*root, lock) && !found.has_errors();
  diagnostics.all().insert(diagnostics.all().end(), found.all().begin(), found.all().end());
  if (!read) return std::nullopt;
  return lock;
}

}  // namespace opsrun::host
