/* tests/bad_plugins/crashes.c: a constructor that ends the program.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Crashes");

__attribute__((constructor)) static void Crash(void) {
  abort();
}

static const opsrun_op op = {ONE_OP("Crashes")};
static const opsrun_op* const ops[] = {&op};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops)};

ENTRY(&table)
