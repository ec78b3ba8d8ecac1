/* tests/bad_plugins/kernel_of_unnoted.c: good: a kernel for an op of a file whose notes do not name it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Late;CPU;#other");

static const opsrun_kernel kernel = {ONE_KERNEL("Late"), .label = STR("other")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, KERNELS(kernels)};

ENTRY(&table)
