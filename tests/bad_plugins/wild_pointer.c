/* tests/bad_plugins/wild_pointer.c: its ops are nowhere.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

static const opsrun_plugin table = {TABLE_HEAD, .ops = (const opsrun_op* const*)0xDEAD0000, .n_ops = 1};

ENTRY(&table)
