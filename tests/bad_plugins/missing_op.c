/* tests/bad_plugins/missing_op.c: a note for an op that its table does not have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Ghost");

static const opsrun_plugin table = {TABLE_HEAD};

ENTRY(&table)
