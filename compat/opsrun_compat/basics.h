// opsrun_compat/basics.h: what all of TensorFlow's headers include, and sources rely on: standard headers, logging,
// statuses, text and types, and the abseil names that TensorFlow's headers use.
//
// The other files of this folder include it, or one that does, in place of the headers below, except for those that the
// layer includes. The include path decides where abseil's names come from: `opsrun sdk` adds the SDK's layer, `opsrun
// sdk --absl` abseil itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/macros.h"
#include "opsrun/status.h"
#include "opsrun/strings.h"
#include "opsrun/tstring.h"
#include "opsrun/types.h"
#include "opsrun_compat/logging.h"

#ifndef OPSRUN_ABSL_LAYER
namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Abseil's own string_view next to the SDK's tstring.
template <>
struct ForeignText<absl::string_view> {
  typedef absl::string_view Foreign;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
#endif
