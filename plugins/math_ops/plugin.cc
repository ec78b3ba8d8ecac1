// plugins/math_ops/plugin.cc: the name of the plugin.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("math_ops", "0.1.0");
