/* tests/bad_plugins/future_major.c: made for the next major.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_NOTE(plugin_note, 0x4F500201u, "whatever major 2 writes here");

static const opsrun_plugin table = {TABLE_HEAD};

ENTRY(&table)
