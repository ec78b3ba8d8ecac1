/* tests/bad_plugins/returns_null.c: its entry gives neither a table nor a reason.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

ENTRY(NULL)
