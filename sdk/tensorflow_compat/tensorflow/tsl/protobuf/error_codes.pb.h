// tensorflow/tsl/protobuf/error_codes.pb.h: opsrun/status.h, in namespace tensorflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
