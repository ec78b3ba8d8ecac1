/* tests/bad_plugins/forgotten_notes.c: an op and kernels that its notes do not name, beside others that they do.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Noted");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;U=9,3;T=1");

static const int64_t floats[] = {OPSRUN_DT_FLOAT};
static const int64_t integers[] = {OPSRUN_DT_INT32, OPSRUN_DT_INT64};
static const opsrun_attr constraints[] = {
    {STR("T"), OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, 0, 1, {.ints = floats}},
    {STR("U"), OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, 0, 2, {.ints = integers}},
};
static const opsrun_str attrs[] = {STR("T: type = DT_FLOAT"), STR("U: type = DT_INT32")};

static const opsrun_op op = {ONE_OP("Noted"), .attrs = attrs, .n_attrs = 2};
static const opsrun_op stowaway = {ONE_OP("Stowaway")};
static const opsrun_op* const ops[] = {&op, &stowaway};
static const opsrun_kernel kernel = {ONE_KERNEL("Noted"), .constraints = constraints, .n_constraints = 2};
static const opsrun_kernel other_types = {ONE_KERNEL("Noted"), .constraints = constraints, .n_constraints = 1};
static const opsrun_kernel other_label = {ONE_KERNEL("Noted"), .constraints = constraints, .n_constraints = 2,
                                          .label = STR("fast")};
static const opsrun_kernel* const kernels[] = {&other_types, &kernel, &other_label};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
