// plugins/array_ops/plugin.cc: the name of the plugin.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("array_ops", "0.1.0");
