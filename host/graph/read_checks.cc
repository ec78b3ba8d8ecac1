// host/graph/read_checks.cc: the section "checks".
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "host/graph/fields.h"
#include "host/graph/read_reference.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

const Fields& CheckFields() {
  static const Fields fields{"a check", {"from", "value", "npy", "npz", "key", "rtol", "atol", "equal_nan"}, {}};
  return fields;
}

class CheckReader {
 public:
  CheckReader(const Value& map, Reporter& reporter) : map_(map), reporter_(reporter) {}

  std::optional<GraphCheck> Read() {
    CheckKeys(map_, CheckFields(), reporter_);
    check_.span = map_.span;
    ReadFrom();
    ReadExpected();
    ReadTolerance("rtol", check_.rtol);
    ReadTolerance("atol", check_.atol);
    ReadEqualNan();
    if (!ok_) return std::nullopt;
    return std::move(check_);
  }

 private:
  bool Refuse(Code code, const Span& where, std::string message, std::string help) {
    reporter_.Error(code, where, std::move(message)).help.push_back(std::move(help));
    ok_ = false;
    return false;
  }

  void ReadFrom() {
    const Value* const from = map_.Find("from");
    if (from == nullptr) {
      Refuse("G106", map_.span, "a check has no 'from'", "add 'from: NODE' or 'from: NODE.OUTPUT'");
      return;
    }
    std::optional<Reference> reference = ReadReference(*from, reporter_);
    ok_ = ok_ && reference;
    if (!reference) return;
    check_.from = *std::move(reference);
    check_.key = {from->text, from->span};
  }

  // One of value, npy and npz.
  void ReadExpected() {
    const Value::Entry* expected = nullptr;
    for (const Value::Entry& entry : map_.entries) {
      if (entry.key != "value" && entry.key != "npy" && entry.key != "npz") continue;
      if (expected != nullptr) {
        Refuse("G112", entry.key_span, fmt::format("a check has both '{}' and '{}'", expected->key, entry.key),
               "leave one of them out");
        return;
      }
      expected = &entry;
    }
    if (expected == nullptr && HasUnknownKey()) {
      ok_ = false;  // which may be the one that is missing
      return;
    }
    if (expected == nullptr) {
      Refuse("G112", map_.span, "a check does not say what is expected", "add 'value', 'npy', or 'npz' and 'key'");
      return;
    }
    check_.expected_span = expected->value.span;
    if (expected->key == "value") {
      check_.value = expected->value;
    } else {
      ReadFile(*expected);
    }
    ReadKey(expected->key == "npz");
  }

  bool HasUnknownKey() const {
    const std::vector<std::string>& known = CheckFields().allowed;
    return std::any_of(map_.entries.begin(), map_.entries.end(), [&](const Value::Entry& entry) {
      return std::find(known.begin(), known.end(), entry.key) == known.end() && entry.key.rfind("x-", 0) != 0;
    });
  }

  void ReadFile(const Value::Entry& entry) {
    std::optional<Located<std::string>>& file = entry.key == "npy" ? check_.npy : check_.npz;
    file = ReadText(entry.value, fmt::format("'{}'", entry.key), "write the path of the file", reporter_);
    ok_ = ok_ && file;
  }

  void ReadKey(bool archive) {
    const Value* const key = map_.Find("key");
    if (key == nullptr) return;
    if (!archive) {
      Refuse("G106", key->span, "'key' is the name of an array in an .npz file, and there is no 'npz'",
             "add 'npz: FILE.npz', or leave 'key' out");
      return;
    }
    std::optional<Located<std::string>> text =
        ReadText(*key, "'key'", "put the name of the array in quotes", reporter_);
    ok_ = ok_ && text;
    if (text) check_.key = *std::move(text);
  }

  void ReadTolerance(const char* key, std::optional<double>& to) {
    const Value* const value = map_.Find(key);
    if (value == nullptr) return;
    to = AsFloat(*value);
    if (to && std::isfinite(*to) && *to >= 0) return;
    const std::string found = value->kind == Value::Kind::kScalar ? Quote(value->text) : KindText(*value);
    Refuse("G113", value->span, fmt::format("'{}' must be a number from 0 on, found {}", key, found),
           fmt::format("write a number such as {}: 1e-5", key));
  }

  void ReadEqualNan() {
    const Value* const value = map_.Find("equal_nan");
    if (value == nullptr) return;
    const std::optional<bool> flag = AsBool(*value);
    check_.equal_nan = flag.value_or(false);
    if (flag) return;
    Refuse("G105", value->span, fmt::format("'equal_nan' must be true or false, found {}", KindText(*value)),
           "write true or false, without quotes");
  }

  const Value& map_;
  Reporter& reporter_;
  GraphCheck check_;
  bool ok_ = true;
};

}  // namespace

void ReadChecks(const Value& section, Graph& graph, Reporter& reporter) {
  const char* const help = "write each check as {from: NODE, value: ...}";
  if (!CheckKind(section, Value::Kind::kList, "'checks'", help, reporter)) return;
  for (const Value& item : section.items) {
    if (!CheckKind(item, Value::Kind::kMap, "a check", help, reporter)) continue;
    if (std::optional<GraphCheck> check = CheckReader(item, reporter).Read()) graph.checks.push_back(*std::move(check));
  }
}

}  // namespace opsrun::host
