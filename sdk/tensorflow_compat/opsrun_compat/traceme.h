// opsrun_compat/traceme.h: profiler::TraceMe and relatives, which do nothing; opsrun/trace.h has spans for
// opsrun run --trace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace profiler {

enum TraceMeLevel { kCritical = 1, kInfo = 2, kVerbose = 3 };
inline int GetTFTraceMeLevel(bool is_expensive) {
  return is_expensive ? kCritical : kInfo;
}

class TraceMe {
 public:
  template <typename Name>
  explicit TraceMe(Name&& /*name*/, int /*level*/ = 1) {}
  ~TraceMe() {}
  void Stop() {}
  template <typename Metadata>
  void AppendMetadata(Metadata&&) {}
};

class ScopedAnnotation {
 public:
  template <typename Name>
  explicit ScopedAnnotation(Name&& /*name*/) {}
  ~ScopedAnnotation() {}
};

namespace internal {

struct TraceMeArg {
  template <typename Value>
  TraceMeArg(StringPiece /*key*/, const Value& /*value*/) {}
};

}  // namespace internal

// A name with more beside it, which is dropped: {{"id", step}, {"kind", kind}}.
inline std::string TraceMeEncode(std::string name, std::initializer_list<internal::TraceMeArg>) {
  return name;
}
inline std::string TraceMeEncode(std::initializer_list<internal::TraceMeArg>) {
  return "";
}
inline std::string TraceMeOp(StringPiece op, StringPiece type) {
  return strings::StrCat(op, ":", type);
}

}  // namespace profiler
}  // namespace OPSRUN_HIDDEN
