// opsrun_compat/absl.h: the abseil names that TensorFlow's headers include: from the SDK's layer, or from abseil
// itself.
//
// The include path decides: `opsrun sdk` adds the layer, `opsrun sdk --absl` abseil.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

#if defined(OPSRUN_ABSL) || __has_include("absl/opsrun_layer.h")
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
#ifndef OPSRUN_ABSL_LAYER
#include "opsrun_compat/real_absl.h"
#endif
#endif
