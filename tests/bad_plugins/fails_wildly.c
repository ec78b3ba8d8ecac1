/* tests/bad_plugins/fails_wildly.c: its entry gives a reason that nobody can read.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  const opsrun_str wild = {(const char*)0xDEAD0000, UINT64_MAX}, nothing = {NULL, 0};
  host->fail(NULL, OPSRUN_INTERNAL, wild, nothing);
  return NULL;
}
