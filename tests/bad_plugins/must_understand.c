/* tests/bad_plugins/must_understand.c: it asks for what no host of level 1 knows, or offers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(plain_note, OPSRUN_NOTE_OP, "Plain");
OPSRUN_C_NOTE(demanding_note, OPSRUN_NOTE_OP, "Demanding");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Plain;CPU");

static const opsrun_op plain = {ONE_OP("Plain")};
static const opsrun_op demanding = {ONE_OP("Demanding"), .must_understand = 4};
static const opsrun_op* const ops[] = {&plain, &demanding};
static const opsrun_kernel kernel = {ONE_KERNEL("Plain")};
static const opsrun_kernel asynchronous = {ONE_KERNEL("Plain"), .flags = OPSRUN_KERNEL_ASYNC};
static const opsrun_kernel* const kernels[] = {&kernel, &asynchronous};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
