// host/spec/spec_parser.h: the common part of the parsers for one spec string. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/spec/spec_error.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

class SpecParser {
 protected:
  using Kind = SpecError::Kind;

  // spec is borrowed.
  explicit SpecParser(const std::string& spec) : spec_(spec), cursor_(spec) {}

  // Each records the error and returns false. Here, or at `offset`.
  bool Refuse(Kind kind, std::string message) { return RefuseAt(cursor_.offset(), kind, std::move(message)); }
  bool RefuseAt(size_t offset, Kind kind, std::string message) {
    kind_ = kind;
    return cursor_.RefuseAt(offset, std::move(message));
  }
  bool RefuseUnexpected(Kind kind, std::string_view expected) {
    kind_ = kind;
    return cursor_.RefuseUnexpected(expected);
  }

  // The recorded error. what: the method of the registration, "Input".
  SpecError Error(const std::string& what) const {
    return {SpecError::Stage::kParse, kind_, what, spec_, cursor_.offset(), cursor_.problem()};
  }

  const std::string& spec_;
  TextCursor cursor_;

 private:
  Kind kind_ = Kind::kName;
};

}  // namespace opsrun::host::spec
