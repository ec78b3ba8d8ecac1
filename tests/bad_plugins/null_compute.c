/* tests/bad_plugins/null_compute.c: a kernel that cannot compute.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

static const opsrun_op op = {ONE_OP("Bad")};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Bad"), .compute = NULL};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
