/* tests/bad_plugins/entry_is_data.c: what is called like the entry is no function. To call it would be a signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

OPSRUN_EXPORT const int opsrun_test_data __asm__("opsrun_plugin_v1") = 7;
