/* tests/bad_plugins/bad_spec.c: an op whose spec string says nothing, beside a good one.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(fine_note, OPSRUN_NOTE_OP, "Fine");
OPSRUN_C_NOTE(bad_note, OPSRUN_NOTE_OP, "Bad");

static const opsrun_str attrs[] = {STR("T: tpye")};
static const opsrun_op fine = {ONE_OP("Fine")};
static const opsrun_str inputs[] = {STR("x: in32")};
static const opsrun_op bad = {
    .size = sizeof(opsrun_op),
    .name = STR("Bad"),
    .inputs = inputs,
    .n_inputs = 1,
    .outputs = one_output,
    .n_outputs = 1,
    .attrs = attrs,
    .n_attrs = 1,
};
static const opsrun_op* const ops[] = {&fine, &bad};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops)};

ENTRY(&table)
