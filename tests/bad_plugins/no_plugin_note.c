/* tests/bad_plugins/no_plugin_note.c: notes of ours, but none that says how it was built.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

static const opsrun_plugin table = {TABLE_HEAD};

ENTRY(&table)
