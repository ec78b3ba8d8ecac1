// opsrun_compat/proto_text.h: messages in the text format of Protocol Buffers, for debugging.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "opsrun/internal/str_cat.h"
#include "opsrun/types.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/data_types.h"
#include "opsrun_compat/proto_containers.h"
#include "opsrun_compat/str_util.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// One field per line, with fields of messages indented by two spaces; or everything on one line.
class ProtoText {
 public:
  ProtoText(std::string* to, bool on_one_line) : to_(to), on_one_line_(on_one_line) {}

  template <typename Self, typename T>
  void Field(int number, const char* name, const Self& message, const T& field) {
    if (message.Has(number, field)) Value(name, field);
  }

 private:
  // A number or a message.
  template <typename T>
  void Value(const char* name, const T& value) {
    if constexpr (is_number<T>) {
      Line(name, ": ", Number(value));
    } else {
      Open(name);
      T::VisitFields(value, *this);
      Close();
    }
  }
  void Value(const char* name, const std::string& text) { Line(name, ": ", '"' + str_util::CEscape(text) + '"'); }
  template <typename T>
  void Value(const char* name, const Owned<T>& message) {
    Value(name, message.get());
  }
  template <typename T>
  void Value(const char* name, const RepeatedField<T>& values) {
    for (const T value : values) Value(name, value);
  }
  template <typename T>
  void Value(const char* name, const RepeatedPtrField<T>& values) {
    for (const T& value : values) Value(name, value);
  }
  template <typename T>
  void Value(const char* name, const OwnedMap<T>& map) {
    for (const auto& [key, value] : map.get()) {
      Open(name);
      Value("key", key);
      Value("value", value);
      Close();
    }
  }

  static std::string Number(bool value) { return value ? "true" : "false"; }
  static std::string Number(DataType type) {
    const std::string text = DataType_Name(type);
    const bool is_unknown = DataTypeSize(type) == 0 && text.find(' ') != std::string::npos;
    return is_unknown ? std::to_string(static_cast<int>(type)) : text;
  }
  // With 6 or 9, or with 15 or 17, digits: the fewest that are read back as the same number.
  static std::string Number(float value) {
    const std::string text = Format("%.6g", static_cast<double>(value));
    return strtof(text.c_str(), nullptr) == value ? text : Format("%.9g", static_cast<double>(value));
  }
  static std::string Number(double value) {
    const std::string text = Format("%.15g", value);
    return strtod(text.c_str(), nullptr) == value ? text : Format("%.17g", value);
  }
  template <typename T>
  static std::string Number(T value) {
    return std::to_string(value);
  }
  void Open(const char* name) {
    Line(name, " {", "");
    ++depth_;
  }
  void Close() {
    --depth_;
    Line("}", "", "");
  }
  void Line(const char* name, const char* between, const std::string& value) {
    if (!on_one_line_) to_->append(2 * depth_, ' ');
    if (on_one_line_ && !to_->empty()) *to_ += ' ';
    *to_ += name + (between + value);
    if (!on_one_line_) *to_ += '\n';
  }

  std::string* to_;
  const bool on_one_line_;
  size_t depth_ = 0;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
