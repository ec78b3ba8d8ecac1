/* tests/bad_plugins/kernels_alone.c: good: a kernel for another file's op.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <stdlib.h>

#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Good;CPU;#other");

static void Shutdown(const opsrun_host* host) {
  (void)host;
  setenv("OPSRUN_TEST_SHUTDOWN", "kernels_alone", 1);
}

static const opsrun_kernel kernel = {ONE_KERNEL("Good"), .label = STR("other")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, KERNELS(kernels), .shutdown = Shutdown};

ENTRY(&table)
