// tensorflow/core/platform/protobuf.h: opsrun_compat/proto_message.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/proto_message.h"
