/* tests/bad_plugins/needs_absent_library.c: it needs a library that is not there.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

int opsrun_test_absent(void);
static const opsrun_plugin table = {TABLE_HEAD};

ENTRY(opsrun_test_absent() ? &table : NULL)
