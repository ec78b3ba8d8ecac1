/* tests/abi/includes_c_api.c: all of the contract, compiled as C11 and as C++17 with every warning about its layout.
 * SPDX-License-Identifier: Apache-2.0 */
#include "opsrun/c_api.h"
#include "opsrun/c_api.h"

int has_want_value(const opsrun_host* host);
int has_want_value(const opsrun_host* host) { return OPSRUN_HAS(host, opsrun_host, want_value); }

OPSRUN_C_PLUGIN_NOTE(plugin_note);

#ifndef __cplusplus
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "a;1");
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "FourFour");
#endif
