// opsrun/internal/enter_tensorflow.h: the door of every header in tensorflow_compat/.
//
// If nothing of the SDK was included before, its classes are defined in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef OPSRUN_NAMESPACE
#define OPSRUN_NAMESPACE tensorflow
#define OPSRUN_ENTERED_THROUGH_TENSORFLOW
#endif

#include "opsrun/namespace.h"
