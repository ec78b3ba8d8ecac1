// tests/bad_plugins/throws.cc: its entry throws an exception, or the value THROWN.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "opsrun/c_api.h"

#ifndef THROWN
#define THROWN std::runtime_error("no more tables")
#endif

OPSRUN_C_PLUGIN_NOTE(plugin_note);

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host*) {
  throw THROWN;
}
