/* tests/bad_plugins/no_entry.c: notes, but no entry. Linked with good.so, it would find that one's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

static const opsrun_op op = {ONE_OP("Bad")};
static const opsrun_kernel kernel = {ONE_KERNEL("Bad")};

OPSRUN_EXPORT const void* opsrun_test_not_the_entry(int i) {
  return i == 0 ? (const void*)&op : &kernel;
}
