/* tests/bad_plugins/unnoted.c: good: the notes say that there is more than they tell.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "*");

static const opsrun_op op = {ONE_OP("Late")};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Late")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
