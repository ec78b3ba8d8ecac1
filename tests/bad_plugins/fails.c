/* tests/bad_plugins/fails.c: its entry says why it fails, twice.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  const opsrun_str reason = STR("no licence file in /etc/acme"), afterthought = STR("and more"), nothing = {NULL, 0};
  host->fail(NULL, OPSRUN_FAILED_PRECONDITION, reason, nothing);
  host->fail(NULL, OPSRUN_INTERNAL, afterthought, nothing);
  return NULL;
}
