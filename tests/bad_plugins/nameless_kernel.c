/* tests/bad_plugins/nameless_kernel.c: a kernel for no op.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

static const opsrun_kernel kernel = {ONE_KERNEL("")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, KERNELS(kernels)};

ENTRY(&table)
