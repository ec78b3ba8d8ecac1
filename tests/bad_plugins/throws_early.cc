// tests/bad_plugins/throws_early.cc: a static constructor throws while the file is being opened.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "opsrun/c_api.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

struct Early {
  Early() { throw std::runtime_error("too early"); }
};
static Early early;

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host*) {
  return nullptr;
}
