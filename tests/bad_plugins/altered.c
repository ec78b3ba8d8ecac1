/* tests/bad_plugins/altered.c: a good plugin except for one field of its table, one note, or how it is built:
 * CMakeLists.txt has a line for each. Macros such as IN_OP add initializers after the other fields of the struct, which
 * override them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "one_op.h"

#ifndef IN_OP
#define IN_OP
#endif
#ifndef IN_KERNEL
#define IN_KERNEL
#endif
#ifndef IN_TABLE
#define IN_TABLE
#endif

#define OF_TYPES (OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST)
#define NUMBERS(...)            \
  {                             \
    .ints = (const int64_t[]) { \
      __VA_ARGS__               \
    }                           \
  }
#define CONSTRAINTS(n, ...) .constraints = (const opsrun_attr[]){__VA_ARGS__}, .n_constraints = n
#define ALIAS(...) .aliases = (const opsrun_alias[]){{STR("y"), STR("x"), __VA_ARGS__}}, .n_aliases = 1

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Faulty");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Faulty;CPU");
#define WRITE_NOTE(...) OPSRUN_C_NOTE(__VA_ARGS__) /* a type and a text as one argument */
#ifdef NOTE
WRITE_NOTE(more_note, NOTE);
#endif
#ifdef OTHER_NOTE
WRITE_NOTE(other_note, OTHER_NOTE);
#endif

#ifdef MANY_LONG_TEXTS /* 64 MiB in total, from 64 KiB in the file */
static const char text[1 << 16] = {[0 ...(1 << 16) - 1] = 'a'};
static const opsrun_str texts[1024] = {[0 ... 1023] = {text, sizeof(text)}};
#endif

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
#define HELPER(name, value)     \
  OPSRUN_EXPORT int name(void); \
  int name(void) {              \
    return value;               \
  }
HELPER(first_helper, 1)
HELPER(second_helper, 2)
HELPER(third_helper, 3)
HELPER(fourth_helper, 4)
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

PLUGIN(WITH_OPS(OP("Faulty", IN_OP)), WITH_KERNELS(KERNEL("Faulty", IN_KERNEL)), IN_TABLE)
