/* tests/bad_plugins/function_outside.c: a kernel whose destroy is another library's function.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");

static const opsrun_op op = {ONE_OP("Bad")};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Bad"), .destroy = free};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
