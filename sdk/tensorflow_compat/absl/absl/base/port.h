// absl/base/port.h: config, attributes and hints in one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/attributes.h"
#include "absl/base/config.h"
#include "absl/base/optimization.h"
