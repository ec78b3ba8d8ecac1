// host/yaml/tree_builder.h: what yaml-cpp's event parser tells, as a Value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/yaml/parse_yaml.h"
#include "host/yaml/reporter.h"
#include "host/yaml/scan_text.h"
#include "host/yaml/value.h"

namespace opsrun::host {

class TreeBuilder : public YAML::EventHandler {
 public:
  // Thrown through the parser, to leave it after an error that is already reported.
  struct Stop {};

  // Both outlive the builder. The scan is of the whole file, of which so many lines stand before what is parsed.
  TreeBuilder(const ScannedText& scanned, uint32_t lines_before, Reporter& reporter)
      : scanned_(scanned), lines_before_(lines_before), reporter_(reporter) {}

  bool complete() const { return complete_; }
  size_t values() const { return values_; }
  Value&& TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapEnd() override;

 private:
  // What a value holds, all levels together.
  struct Size {
    size_t values = 1;
    size_t bytes = 0;  // of texts and keys
    size_t depth = 0;

    void Add(const Size& inner, size_t key_bytes);
    bool Fits(size_t times) const;
  };

  // A list or map that is being read.
  struct Frame {
    Value value;
    Size size;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool flow = false;
    bool has_key = false;  // of a map: the key is read, its value is not
    bool drop = false;     // the key's value is to be forgotten
    std::string key;
    Span key_span;
  };

  bool IsMissing(const Value& null) const;
  Position PositionOf(const YAML::Mark& mark) const;
  Span SpanFrom(Position begin);
  Span NullSpan(Position mark);
  Position LastDash(Position first, Position mark) const;
  bool IsNullText(const Extent& extent) const;
  bool ExpectsKey() const;
  void TakeKey(Value key);
  void Begin(Value::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             YAML::EmitterStyle::value style);
  void Finish();
  void Add(Value value, const Size& size, YAML::anchor_t anchor);
  void Keep(const Value& value, const Size& size, YAML::anchor_t anchor);
  void CheckDepth(size_t added, const Span& span);
  void CountAliased(const Size& size, const Span& span);
  void CheckTag(std::string_view tag, const Span& span);
  [[noreturn]] void RefuseMoreValues(const Span& span);
  [[noreturn]] void RefuseKey(const Span& span, std::string_view found);
  void RefuseMissingValue();
  [[noreturn]] void RefuseSecondDocument(Position begin);

  const ScannedText& scanned_;
  const uint32_t lines_before_;
  Reporter& reporter_;
  size_t extent_ = 0;  // the one that was last asked for: the next is mostly near
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, std::pair<Value, Size>> anchors_;
  size_t values_ = 0;
  Size aliased_{0};
  Size anchored_{0};
  bool complete_ = false;
  Value root_;
};

// Where a list or map without brackets ends: with the last of what it holds.
Position EndOfBlock(const Value& collection);

}  // namespace opsrun::host
