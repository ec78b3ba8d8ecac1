// tests/bad_plugins/throws_anything.cc: its entry throws what is no exception class.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/c_api.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host*) {
  throw 42;
}
