/* tests/bad_plugins/faults/entry_of_others.c: its entry is found while it is loaded, and is a function of the C
 * library. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "../one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);

static opsrun_entry_fn Resolve(void) {
  return (opsrun_entry_fn)abort;
}

__attribute__((ifunc("Resolve"))) const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host);
