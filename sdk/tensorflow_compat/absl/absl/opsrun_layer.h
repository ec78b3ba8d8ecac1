// absl/opsrun_layer.h: only the SDK's layer has this header, and so can be told from abseil.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"
