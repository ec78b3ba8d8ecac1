/* tests/bad_plugins/kernel_of_others.c: kernels for another file's op, which name arguments that it has and has not.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(memory_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#memory");
OPSRUN_C_NOTE(output_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#output");
OPSRUN_C_NOTE(input_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#input");
OPSRUN_C_NOTE(fits_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#fits");

static const opsrun_str unknown[] = {STR("x"), STR("z")};
static const opsrun_str known[] = {STR("x"), STR("y")};
static const opsrun_alias output[] = {{STR("z"), STR("x"), OPSRUN_ALIAS_READ_ONLY, 0}};
static const opsrun_alias input[] = {{STR("y"), STR("y"), OPSRUN_ALIAS_IN_PLACE, 0}};
static const opsrun_alias fits[] = {{STR("y"), STR("x"), OPSRUN_ALIAS_IN_PLACE, 0}};

static const opsrun_kernel by_memory = {ONE_KERNEL("Noted"), .label = STR("memory"), .host_memory = unknown,
                                        .n_host_memory = 2};
static const opsrun_kernel by_output = {ONE_KERNEL("Noted"), .label = STR("output"), .aliases = output, .n_aliases = 1};
static const opsrun_kernel by_input = {ONE_KERNEL("Noted"), .label = STR("input"), .aliases = input, .n_aliases = 1};
static const opsrun_kernel that_fits = {ONE_KERNEL("Noted"), .label = STR("fits"), .host_memory = known,
                                        .n_host_memory = 2, .aliases = fits, .n_aliases = 1};
static const opsrun_kernel* const kernels[] = {&by_memory, &by_output, &by_input, &that_fits};
static const opsrun_plugin table = {TABLE_HEAD, KERNELS(kernels)};

ENTRY(&table)
