// tests/bad_plugins/throws.cc: its entry throws.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "opsrun/c_api.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host*) {
  throw std::runtime_error("no more tables");
}
