/* tests/bad_plugins/faults/fault.c: a good plugin but for one field of its table, or one note: CMakeLists.txt has a
 * line for each. What it puts in stands behind the other fields of that struct, and replaces them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../one_op.h"

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
#define WRITE_NOTE(...) OPSRUN_C_NOTE(__VA_ARGS__) /* of a type and a text in one macro */
#ifdef NOTE
WRITE_NOTE(more_note, NOTE);
#endif
#ifdef OTHER_NOTE
WRITE_NOTE(other_note, OTHER_NOTE);
#endif

#ifdef MANY_LONG_TEXTS /* 64 MiB in all, of 64 KiB that the file has */
static const char text[1 << 16] = {[0 ...(1 << 16) - 1] = 'a'};
static const opsrun_str texts[1024] = {[0 ... 1023] = {text, sizeof(text)}};
#endif

static const opsrun_op op = {ONE_OP("Faulty") IN_OP};
static const opsrun_op* const ops[] = {&op};
static const opsrun_kernel kernel = {ONE_KERNEL("Faulty") IN_KERNEL};
static const opsrun_kernel* const kernels[] = {&kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels) IN_TABLE};

ENTRY(&table)
