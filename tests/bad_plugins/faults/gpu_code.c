/* tests/bad_plugins/faults/gpu_code.c: a plugin with a kernel for GPUs, and a fat binary for the cards that its build
 * names: KIND (1 PTX, 2 machine code) and CAPABILITY of one image, which is empty.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Gpu");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Gpu;CPU");
OPSRUN_C_NOTE(gpu_note, OPSRUN_NOTE_KERNEL, "Gpu;GPU");

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)
__asm__(
    ".pushsection .nv_fatbin,\"a\"\n"
    ".long 0xba55ed50\n.short 1, 16\n.quad 64\n"
    ".short " TEXT(KIND) ", 0x101\n.long 64\n.quad 0\n.long 0, 0, 0, " TEXT(CAPABILITY) ", 0, 0\n.quad 0x11, 0, 0\n"
    ".popsection\n");

static const opsrun_op op = {ONE_OP("Gpu")};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Gpu")};
static const opsrun_kernel gpu_kernel = {ONE_KERNEL("Gpu"), .device = STR("GPU")};
static const opsrun_kernel* const kernels[] = {&kernel, &gpu_kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
