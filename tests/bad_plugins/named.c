/* tests/bad_plugins/named.c: good too, with a name of its own; it has an op Good as well.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "acme.images;1.4.0");
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Good");
OPSRUN_C_NOTE(other_op_note, OPSRUN_NOTE_OP, "Other");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Good;CPU");

static const opsrun_op op = {ONE_OP("Good")};
static const opsrun_op other_op = {ONE_OP("Other")};
static const opsrun_op* const ops[] = {&op, &other_op};
static const opsrun_kernel kernel = {ONE_KERNEL("Good"), .priority = 5};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels), .name = STR("acme.images"),
                                    .version = STR("1.4.0")};

ENTRY(&table)
