/* tests/bad_plugins/unnoted_kernel.c: its notes do not name its kernel, which is of another plugin's op.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(more_note, OPSRUN_NOTE_KERNEL, "*");

static const opsrun_kernel kernel = {ONE_KERNEL("Other")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, KERNELS(kernels)};

ENTRY(&table)
