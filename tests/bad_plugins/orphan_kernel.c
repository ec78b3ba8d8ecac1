/* tests/bad_plugins/orphan_kernel.c: a kernel for an op that nobody has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Nobody;CPU");

static const opsrun_kernel kernel = {ONE_KERNEL("Nobody")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, KERNELS(kernels)};

ENTRY(&table)
