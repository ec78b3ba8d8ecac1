// opsrun_compat/traceme.h: profiler::TraceMe, which does nothing; opsrun/trace.h has spans for opsrun run --trace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace profiler {

class TraceMe {
 public:
  template <typename Name>
  explicit TraceMe(Name&& /*name*/, int /*level*/ = 1) {}
  ~TraceMe() {}
  void Stop() {}
  template <typename Metadata>
  void AppendMetadata(Metadata&&) {}
};

}  // namespace profiler
}  // namespace OPSRUN_HIDDEN
