/* tests/abi/levels/only_a_note.c: a second translation unit of a plugin, which may be built for another level.
 * SPDX-License-Identifier: Apache-2.0 */
#include "c_api.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note_of_another_unit);
