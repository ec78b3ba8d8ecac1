/* tests/bad_plugins/two_names.c: it contradicts itself about its name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "one;1.0");

static const opsrun_plugin table = {TABLE_HEAD, .name = STR("another"), .version = STR("1.0")};

ENTRY(&table)
