// opsrun_compat/basics.h: what all of TensorFlow's headers include, and sources rely on: standard headers, logging, and
// the abseil names that TensorFlow's headers use, from the SDK's layer or from abseil itself.
//
// The other files of this folder include it in place of the standard headers that they need, except for those that the
// layer includes.
//
// The include path decides: `opsrun sdk` adds the layer, `opsrun sdk --absl` abseil.
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
#include "opsrun/tstring.h"
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
