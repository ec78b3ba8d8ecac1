// opsrun/internal/enter_tensorflow.h: the first include of every header of compat/.
//
// If no SDK header was included before, the SDK's classes are defined in namespace tensorflow. They are also visible in
// tsl, where newer sources look for some of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef OPSRUN_NAMESPACE
#define OPSRUN_NAMESPACE tensorflow
#define OPSRUN_ENTERED_THROUGH_TENSORFLOW
#endif

#include "opsrun/namespace.h"

namespace tsl OPSRUN_HIDDEN {
using namespace ::OPSRUN_NAMESPACE;
}
