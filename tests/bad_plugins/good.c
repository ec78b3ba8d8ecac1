/* tests/bad_plugins/good.c: nothing is wrong with this one.
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <stdlib.h>

#include "one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Good");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Good;CPU");

static void Shutdown(const opsrun_host* host) {
  (void)host;
  setenv("OPSRUN_TEST_SHUTDOWN", "good", 1);
}

static const opsrun_op op = {ONE_OP("Good"), .gradient = STR("outputs: {x: grad.y}"), .gradient_line = 7};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Good")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels), .shutdown = Shutdown};

ENTRY(&table)
