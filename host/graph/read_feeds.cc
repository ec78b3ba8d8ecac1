// host/graph/read_feeds.cc: the section "feeds".
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "host/graph/read_graph.h"
#include "host/graph/tensor_value.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

bool IsSource(const std::string& key) {
  return key == "value" || key == "npy" || key == "npz" || key == "fill" || key == "random";
}

// The source that a key belongs to; null for other keys.
const char* OwnerOf(const std::string& key) {
  static const std::vector<std::string> of_random = {"seed", "low", "high", "mean", "stddev"};
  if (key == "key") return "npz";
  return std::find(of_random.begin(), of_random.end(), key) == of_random.end() ? nullptr : "random";
}

class FeedReader {
 public:
  FeedReader(Value::Entry& entry, Reporter& reporter) : entry_(entry), reporter_(reporter) {}

  std::optional<Feed> Read() {
    Value& map = entry_.value;
    if (!CheckName(entry_, "a feed", reporter_)) return std::nullopt;
    const std::string help = fmt::format("write {}: {{value: ..., dtype: ...}}", entry_.key);
    if (!CheckKind(map, Value::Kind::kMap, fmt::format("feed '{}'", entry_.key), help, reporter_)) return std::nullopt;
    static const Fields fields{
        "a feed",
        {"value", "npy", "npz", "key", "fill", "random", "seed", "low", "high", "mean", "stddev", "dtype", "shape"},
        {}};
    CorrectKeys(map, fields, reporter_);
    feed_.name = {entry_.key, entry_.key_span};
    feed_.span = map.span;
    const bool declared = ReadDeclaration();
    const Value::Entry* source = nullptr;
    if (!FindSource(&source) || !declared || !ReadSource(source)) return std::nullopt;
    return std::move(feed_);
  }

 private:
  bool ReadDeclaration() {
    const Value* const dtype = entry_.value.Find("dtype");
    const Value* const shape = entry_.value.Find("shape");
    const bool ok = dtype == nullptr || Take(ReadDType(*dtype, reporter_), feed_.dtype);
    const bool whole = entry_.value.Find("fill") != nullptr || entry_.value.Find("random") != nullptr;
    return (shape == nullptr || Take(ReadShape(*shape, reporter_, whole), feed_.shape)) && ok;
  }

  // Finds the key for the source of the values; null if there is none.
  bool FindSource(const Value::Entry** source) {
    for (const Value::Entry& entry : entry_.value.entries) {
      if (!IsSource(entry.key)) continue;
      if (*source != nullptr) return RefuseSecondSource(**source, entry);
      *source = &entry;
    }
    return CheckOwners(*source);
  }

  // Refuses keys that belong to another source.
  bool CheckOwners(const Value::Entry* source) {
    bool ok = true;
    for (const Value::Entry& entry : entry_.value.entries) {
      const char* const owner = OwnerOf(entry.key);
      if (owner == nullptr || (source != nullptr && source->key == owner)) continue;
      ok = reporter_.Refuse(
          "F101", entry.key_span,
          fmt::format("'{}' requires '{}', which feed '{}' does not have", entry.key, owner, entry_.key),
          fmt::format("remove '{}', or add '{}'", entry.key, owner));
    }
    return ok;
  }

  bool RefuseSecondSource(const Value::Entry& first, const Value::Entry& second) {
    Diagnostic& error = reporter_.Error(
        "F101", second.key_span, fmt::format("feed '{}' has both '{}' and '{}'", entry_.key, first.key, second.key));
    error.also.push_back({first.key_span, "first here"});
    error.help.push_back("a feed has one of value, npy, npz, fill and random, or none if it is only declared");
    return false;
  }

  bool ReadSource(const Value::Entry* source) {
    if (source == nullptr) return CheckDeclared();
    if (source->key == "npy") return ReadPath(source->value, "'npy'", Feed::Source::kNpy);
    if (source->key == "npz") return ReadArchive(source->value);
    if (source->key == "random") return ReadRandom(source->value);
    return source->key == "value" ? ReadValue(source->value) : ReadFill(source->value);
  }

  bool CheckDeclared() {
    if (feed_.dtype) return true;
    if (entry_.value.incomplete) return false;
    return reporter_.Refuse(
        "F101", entry_.key_span, fmt::format("feed '{}' has neither a value nor a dtype", entry_.key),
        "give it one of value, npy, npz, fill and random, or declare it: {dtype: float32, shape: [-1, 3]}");
  }

  bool ReadPath(const Value& value, const char* what, Feed::Source source) {
    feed_.source = source;
    return Take(ReadText(value, what, "write the path of the file", reporter_), feed_.path);
  }

  // The default key is the feed's name.
  bool ReadArchive(const Value& value) {
    return Take(ReadArrayKey(entry_.value, {entry_.key, value.span}, reporter_), feed_.key) &&
           ReadPath(value, "'npz'", Feed::Source::kNpz);
  }

  bool ReadValue(const Value& value) {
    std::optional<Tensor> tensor = ReadTensorValue(value, DeclaredDType(), reporter_);
    if (!tensor) return false;
    if (feed_.shape && !ShapeAllows(feed_.shape->value, tensor->shape())) return RefuseShape(value, tensor->shape());
    return Give(Feed::Source::kValue, std::move(tensor));
  }

  bool RefuseShape(const Value& value, const Shape& found) {
    Diagnostic& error = reporter_.Error("F102", feed_.shape->span,
                                        fmt::format("feed '{}' has shape {}, but the graph declares {}", entry_.key,
                                                    ShapeText(found), ShapeText(feed_.shape->value)));
    error.also.push_back({value.span, fmt::format("this has shape {}", ShapeText(found))});
    error.help.push_back("remove 'shape': the value determines it");
    return false;
  }

  bool ReadFill(const Value& value) {
    return CheckWholeShape("fill") &&
           Give(Feed::Source::kFill, ReadFillValue(value, DeclaredDType(), *feed_.shape, reporter_));
  }

  bool ReadRandom(const Value& kind) {
    feed_.recipe = Recipe(entry_.value);
    return CheckWholeShape("random") &&
           Give(Feed::Source::kRandom, ReadRandomValue(entry_.value, kind, DeclaredDType(), *feed_.shape, reporter_));
  }

  bool Give(Feed::Source source, std::optional<Tensor> tensor) {
    feed_.source = source;
    return Take(std::move(tensor), feed_.value);
  }

  // All scalars except the data type.
  static std::vector<Value::Entry> Recipe(const Value& feed) {
    std::vector<Value::Entry> recipe = feed.entries;
    std::erase_if(recipe, [](const Value::Entry& entry) {
      return entry.value.kind != Value::Kind::kScalar || entry.key == "dtype" || entry.key[0] == 'x';
    });
    return recipe;
  }

  bool CheckWholeShape(const char* source) {
    if (!feed_.shape) {
      return reporter_.Refuse("F101", entry_.key_span,
                              fmt::format("feed '{}' has '{}' but no 'shape'", entry_.key, source),
                              "add a shape, such as shape: [2, 3]");
    }
    return CheckWhole(*feed_.shape, source, reporter_);
  }

  std::optional<DType> DeclaredDType() const { return feed_.dtype ? std::optional(feed_.dtype->value) : std::nullopt; }

  Value::Entry& entry_;
  Reporter& reporter_;
  Feed feed_;
};

}  // namespace

void ReadFeeds(Value& section, Graph& graph, Reporter& reporter) {
  if (!CheckKind(section, Value::Kind::kMap, "'feeds'", "write each feed as NAME: {value: ..., dtype: ...}", reporter))
    return;
  for (Value::Entry& entry : section.entries) {
    if (std::optional<Feed> feed = FeedReader(entry, reporter).Read()) {
      graph.feeds.push_back(*std::move(feed));
    } else {
      graph.left_out.push_back(entry.key);
    }
  }
}

// The section "checks".

namespace {

class CheckReader {
 public:
  CheckReader(Value& map, Reporter& reporter) : map_(map), reporter_(reporter) {}

  std::optional<GraphCheck> Read() {
    static const Fields fields{"a check", {"from", "value", "npy", "npz", "key", "rtol", "atol", "equal_nan"}, {}};
    CorrectKeys(map_, fields, reporter_);
    check_.span = map_.span;
    ReadFrom();
    ReadExpected();
    ReadTolerance("rtol", check_.rtol);
    ReadTolerance("atol", check_.atol);
    ok_ = TakeFlag(map_, "equal_nan", check_.equal_nan, reporter_) && ok_;
    if (!ok_) return std::nullopt;
    return std::move(check_);
  }

 private:
  void Refuse(Code code, const Span& where, std::string message, std::string help) {
    ok_ = reporter_.Refuse(code, where, std::move(message), std::move(help));
  }

  // Reports nothing if a refused key may be the missing one.
  void RefuseMissing(Code code, std::string message, std::string help) {
    ok_ = false;
    if (!map_.incomplete) Refuse(code, map_.span, std::move(message), std::move(help));
  }

  void ReadFrom() {
    const Value* const from = map_.Find("from");
    if (from == nullptr) {
      return RefuseMissing("G106", "a check has no 'from'", "add 'from: NODE' or 'from: NODE.OUTPUT'");
    }
    ok_ = Take(ReadReference(*from, reporter_), check_.from);
    check_.key = {from->text, from->span};
  }

  // Exactly one of value, npy and npz.
  void ReadExpected() {
    const Value::Entry* expected = nullptr;
    for (const Value::Entry& entry : map_.entries) {
      if (entry.key != "value" && entry.key != "npy" && entry.key != "npz") continue;
      if (expected != nullptr) {
        return Refuse("G112", entry.key_span, fmt::format("a check has both '{}' and '{}'", expected->key, entry.key),
                      "remove one of them");
      }
      expected = &entry;
    }
    if (expected != nullptr) {
      ReadExpected(*expected);
    } else {
      RefuseMissing("G112", "a check has no expected value", "add 'value', 'npy', or 'npz' and 'key'");
    }
  }

  void ReadExpected(const Value::Entry& entry) {
    check_.expected_span = entry.value.span;
    if (entry.key == "value") {
      check_.value = entry.value;
    } else {
      std::optional<Located<std::string>>& file = entry.key == "npy" ? check_.npy : check_.npz;
      ok_ = TakeText(map_, entry.key.c_str(), "write the path of the file", file, reporter_) && ok_;
    }
    ok_ = Take(ReadArrayKey(map_, check_.key, reporter_), check_.key) && ok_;
  }

  void ReadTolerance(const char* key, std::optional<double>& to) {
    const Value* const value = map_.Find(key);
    if (value == nullptr) return;
    to = AsFloat(*value);
    if (to && std::isfinite(*to) && *to >= 0) return;
    Refuse("G113", value->span, fmt::format("'{}' must be a number of at least 0, found {}", key, FoundText(*value)),
           fmt::format("write a number such as {}: 1e-5", key));
  }

  Value& map_;
  Reporter& reporter_;
  GraphCheck check_;
  bool ok_ = true;
};

}  // namespace

void ReadChecks(Value& section, Graph& graph, Reporter& reporter) {
  const char* const help = "write each check as {from: NODE, value: ...}";
  if (!CheckKind(section, Value::Kind::kList, "'checks'", help, reporter)) return;
  for (Value& item : section.items) {
    if (!CheckKind(item, Value::Kind::kMap, "a check", help, reporter)) continue;
    if (std::optional<GraphCheck> check = CheckReader(item, reporter).Read()) graph.checks.push_back(*std::move(check));
  }
}

}  // namespace opsrun::host
