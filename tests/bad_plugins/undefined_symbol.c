/* tests/bad_plugins/undefined_symbol.c: it calls a function that nobody defines.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

const opsrun_plugin* opsrun_test_nobody_defines_this(void);

ENTRY(opsrun_test_nobody_defines_this())
