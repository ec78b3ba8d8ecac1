/* tests/bad_plugins/table_outside.c: its table is not in the file.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

ENTRY((const opsrun_plugin*)host)
