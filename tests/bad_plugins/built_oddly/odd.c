/* tests/bad_plugins/built_oddly/odd.c: a good plugin, if it were not for how it is built: CMakeLists.txt says how.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Odd");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Odd;CPU");

#ifdef THREAD_LOCAL
static __thread int calls;
static int32_t Count(void* kernel, opsrun_call* call) {
  ++calls;
  return Compute(kernel, call);
}
#define Compute Count
#endif

#ifdef ADDRESS_IN_CODE
__asm__(".text\n.balign 8\n.quad opsrun_plugin_v1\n");
#endif

#ifdef ISA_LEVEL_9 /* as the linker notes it for -march=x86-64-v9: bit 8 of GNU_PROPERTY_X86_ISA_1_NEEDED */
__asm__(
    ".pushsection .note.gnu.property,\"a\",%note\n.balign 8\n"
    ".long 4, 16, 5\n.asciz \"GNU\"\n.long 0xc0008002, 4, 0x100, 0\n.popsection\n");
#endif

#ifdef EXPORTS
OPSRUN_EXPORT int first_helper(void);
OPSRUN_EXPORT int second_helper(void);
OPSRUN_EXPORT int third_helper(void);
OPSRUN_EXPORT int fourth_helper(void);
int first_helper(void) {
  return 1;
}
int second_helper(void) {
  return 2;
}
int third_helper(void) {
  return 3;
}
int fourth_helper(void) {
  return 4;
}
#endif

#ifdef USES
#ifndef ALSO_USES
#define ALSO_USES USES
#endif
extern void USES(void);
extern void ALSO_USES(void);
static void Use(void* kernel) {
  (void)kernel;
  USES();
  ALSO_USES();
}
#define Destroy Use
#endif

static const opsrun_op op = {ONE_OP("Odd")};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Odd")};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels)};

ENTRY(&table)
