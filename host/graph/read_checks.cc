// host/graph/read_checks.cc: the section "checks".
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <utility>

#include "host/graph/fields.h"
#include "host/graph/read_reference.h"
#include "host/graph/read_sections.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
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
    if (const Value* flag = map_.Find("equal_nan")) {
      ok_ = Take(ReadFlag(*flag, "'equal_nan'", reporter_), check_.equal_nan) && ok_;
    }
    if (!ok_) return std::nullopt;
    return std::move(check_);
  }

 private:
  void Refuse(Code code, const Span& where, std::string message, std::string help) {
    ok_ = reporter_.Refuse(code, where, std::move(message), std::move(help));
  }

  // Unless a key that was refused may be the missing one.
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

  // One of value, npy and npz.
  void ReadExpected() {
    const Value::Entry* expected = nullptr;
    for (const Value::Entry& entry : map_.entries) {
      if (entry.key != "value" && entry.key != "npy" && entry.key != "npz") continue;
      if (expected != nullptr) {
        return Refuse("G112", entry.key_span, fmt::format("a check has both '{}' and '{}'", expected->key, entry.key),
                      "leave one of them out");
      }
      expected = &entry;
    }
    if (expected != nullptr) {
      ReadExpected(*expected);
    } else {
      RefuseMissing("G112", "a check does not say what is expected", "add 'value', 'npy', or 'npz' and 'key'");
    }
  }

  void ReadExpected(const Value::Entry& entry) {
    check_.expected_span = entry.value.span;
    if (entry.key == "value") {
      check_.value = entry.value;
    } else {
      std::optional<Located<std::string>>& file = entry.key == "npy" ? check_.npy : check_.npz;
      file = ReadText(entry.value, fmt::format("'{}'", entry.key), "write the path of the file", reporter_);
      ok_ = ok_ && file;
    }
    ok_ = Take(ReadArrayKey(map_, check_.key, reporter_), check_.key) && ok_;
  }

  void ReadTolerance(const char* key, std::optional<double>& to) {
    const Value* const value = map_.Find(key);
    if (value == nullptr) return;
    to = AsFloat(*value);
    if (to && std::isfinite(*to) && *to >= 0) return;
    Refuse("G113", value->span, fmt::format("'{}' must be a number from 0 on, found {}", key, FoundText(*value)),
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
