/* tests/bad_plugins/wild_count.c: more inputs than there is memory.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

static const opsrun_op op = {ONE_OP("Bad"), .n_inputs = 0xFFFFFFFF};
static const opsrun_op* const ops[] = {&op};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops)};

ENTRY(&table)
