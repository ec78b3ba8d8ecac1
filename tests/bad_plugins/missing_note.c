/* tests/bad_plugins/missing_note.c: an op that its notes do not name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Noted");

static const opsrun_op op = {ONE_OP("Noted")};
static const opsrun_op stowaway = {ONE_OP("Stowaway")};
static const opsrun_op* const ops[] = {&op, &stowaway};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops)};

ENTRY(&table)
