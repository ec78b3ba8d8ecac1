/* tests/bad_plugins/cases.c: plugins in plain C, each with a different fault, or with none. CMakeLists.txt lists them,
 * and builds each with CASE_name. load_test.cc states what happens to them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* setenv, MAP_ANONYMOUS */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "one_op.h"

#if !defined(CASE_no_plugin_note) && !defined(CASE_future_major)
OPSRUN_C_PLUGIN_NOTE(plugin_note);
#endif

/* ---- Good ones. An environment variable has the last one that was shut down. */
#define SHUTDOWN(name)                            \
  static void Shutdown(const opsrun_host* host) { \
    (void)host;                                   \
    setenv("OPSRUN_TEST_SHUTDOWN", name, 1);      \
  }

#if defined(CASE_good)
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Good");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Good;CPU");
SHUTDOWN("good")
PLUGIN(WITH_OPS(OP("Good", .gradient = STR("outputs: {x: grad.y}"), .gradient_line = 7)), WITH_KERNELS(KERNEL("Good")),
       .shutdown = Shutdown)

#elif defined(CASE_named) /* with its own name; it also has an op Good */
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "acme.images;1.4.0");
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Good");
OPSRUN_C_NOTE(other_op_note, OPSRUN_NOTE_OP, "Other");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Good;CPU");
PLUGIN(WITH_OPS(OP("Good"), OP("Other")), WITH_KERNELS(KERNEL("Good", .priority = 5)), .name = STR("acme.images"),
       .version = STR("1.4.0"))

#elif defined(CASE_kernels_alone) /* a kernel for another file's op */
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Good;CPU;#other");
SHUTDOWN("kernels_alone")
PLUGIN(WITH_KERNELS(KERNEL("Good", .label = STR("other"))), .shutdown = Shutdown)

#elif defined(CASE_kernel_for_one) /* a kernel for the op of one plugin */
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "good.Good;CPU;#one");
PLUGIN(WITH_KERNELS(KERNEL("good.Good", .label = STR("one"))))

#elif defined(CASE_orphan_kernel) /* a kernel for an op that does not exist */
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Nobody;CPU");
PLUGIN(WITH_KERNELS(KERNEL("Nobody")))

#elif defined(CASE_unnoted) /* the notes say that they are incomplete */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "*");
PLUGIN(WITH_OPS(OP("Late")), WITH_KERNELS(KERNEL("Late")))

#elif defined(CASE_kernel_of_unnoted) /* a kernel for an op of a file whose notes do not name it */
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Late;CPU;#other");
PLUGIN(WITH_KERNELS(KERNEL("Late", .label = STR("other"))))

#elif defined(CASE_unnoted_kernel)  /* its notes do not list its kernel, which is for another plugin's op */
OPSRUN_C_NOTE(more_note, OPSRUN_NOTE_KERNEL, "*");
PLUGIN(WITH_KERNELS(KERNEL("Other")))

/* ---- Used in part. */
#elif defined(CASE_must_understand) /* it requires flags that hosts of level 1 do not know */
OPSRUN_C_NOTE(plain_note, OPSRUN_NOTE_OP, "Plain");
OPSRUN_C_NOTE(demanding_note, OPSRUN_NOTE_OP, "Demanding");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Plain;CPU");
PLUGIN(WITH_OPS(OP("Plain"), OP("Demanding", .must_understand = 4)),
       WITH_KERNELS(KERNEL("Plain"), KERNEL("Plain", .flags = OPSRUN_KERNEL_ASYNC)))

#elif defined(CASE_new_specs) /* ops that only a later level could understand whole; damage.py makes it say so */
OPSRUN_C_NOTE(wider_note, OPSRUN_NOTE_OP, "Wider");
OPSRUN_C_NOTE(other_note, OPSRUN_NOTE_OP, "OfNewTypes");
OPSRUN_C_NOTE(body_note, OPSRUN_NOTE_OP, "OfAGraph");
OPSRUN_C_NOTE(optional_note, OPSRUN_NOTE_OP, "OfOptional");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Wider;CPU;T=3,99");
OPSRUN_C_NOTE(new_kernel_note, OPSRUN_NOTE_KERNEL, "Wider;CPU;T=99;#new");
static const int64_t types[] = {OPSRUN_DT_INT32, 99};
static const opsrun_attr both[] = {{STR("T"), OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, 0, 2, {.ints = types}}};
static const opsrun_attr only_new[] = {{STR("T"), OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, 0, 1, {.ints = types + 1}}};
static const opsrun_str optional[] = {STR("x: int32?")};
#define ATTR(text) .attrs = (const opsrun_str[]){STR(text)}, .n_attrs = 1
PLUGIN(WITH_OPS(OP("Wider", ATTR("T: {int32, float8_e8m0fnu} = DT_INT32")),
                OP("OfNewTypes", ATTR("T: {float8_e8m0fnu, int1}")), OP("OfAGraph", ATTR("body: graph")),
                OP("OfOptional", .inputs = optional)),
       WITH_KERNELS(KERNEL("Wider", .constraints = both, .n_constraints = 1),
                    KERNEL("Wider", .constraints = only_new, .n_constraints = 1, .label = STR("new"))))

#elif defined(CASE_forgotten_notes) /* an op and kernels that its notes do not list, and others that they do */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Noted");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;U=9,3;T=1");
static const int64_t floats[] = {OPSRUN_DT_FLOAT};
static const int64_t integers[] = {OPSRUN_DT_INT32, OPSRUN_DT_INT64};
static const opsrun_attr constraints[] = {
    {STR("T"), OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, 0, 1, {.ints = floats}},
    {STR("U"), OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST, 0, 2, {.ints = integers}},
};
static const opsrun_str attrs[] = {STR("T: type = DT_FLOAT"), STR("U: type = DT_INT32")};
#define CONSTRAINTS(n) .constraints = constraints, .n_constraints = n
PLUGIN(WITH_OPS(OP("Noted", .attrs = attrs, .n_attrs = 2), OP("Stowaway")),
       WITH_KERNELS(KERNEL("Noted", CONSTRAINTS(1)), KERNEL("Noted", CONSTRAINTS(2)),
                    KERNEL("Noted", CONSTRAINTS(2), .label = STR("fast"))))

#elif defined(CASE_kernel_of_others) /* kernels for another file's op, with valid and unknown arguments */
OPSRUN_C_NOTE(memory_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#memory");
OPSRUN_C_NOTE(output_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#output");
OPSRUN_C_NOTE(input_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#input");
OPSRUN_C_NOTE(fits_note, OPSRUN_NOTE_KERNEL, "Noted;CPU;#fits");
static const opsrun_str unknown[] = {STR("x"), STR("z")};
static const opsrun_str known[] = {STR("x"), STR("y")};
static const opsrun_alias output[] = {{STR("z"), STR("x"), OPSRUN_ALIAS_READ_ONLY, 0}};
static const opsrun_alias input[] = {{STR("y"), STR("y"), OPSRUN_ALIAS_IN_PLACE, 0}};
static const opsrun_alias fits[] = {{STR("y"), STR("x"), OPSRUN_ALIAS_IN_PLACE, 0}};
#define ALIAS(array) .aliases = array, .n_aliases = 1
#define MEMORY(array) .host_memory = array, .n_host_memory = 2
PLUGIN(WITH_KERNELS(KERNEL("Noted", .label = STR("memory"), MEMORY(unknown)),
                    KERNEL("Noted", .label = STR("output"), ALIAS(output)),
                    KERNEL("Noted", .label = STR("input"), ALIAS(input)),
                    KERNEL("Noted", .label = STR("fits"), MEMORY(known), ALIAS(fits))))

#elif defined(CASE_missing_op) /* a note for an op that its table does not have */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Ghost");
PLUGIN()

#elif defined(CASE_gpu_code) /* a fat binary with one empty image: its KIND (1 PTX, 2 machine code) and CAPABILITY */
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
PLUGIN(WITH_OPS(OP("Gpu")), WITH_KERNELS(KERNEL("Gpu"), KERNEL("Gpu", .device = STR("GPU"))))

/* ---- Rejected because of its notes. */
#elif defined(CASE_no_plugin_note) /* notes of ours, but no PLUGIN note */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
PLUGIN()

#elif defined(CASE_future_major)  /* made for the next major version */
OPSRUN_C_NOTE(plugin_note, 0x4F500201u, "whatever major 2 writes here");
PLUGIN()

/* ---- Rejected because of its entry. */
#elif defined(CASE_entry_is_data) /* the symbol of the entry is not a function; calling it would crash */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
OPSRUN_EXPORT const int opsrun_test_data __asm__("opsrun_plugin_v1") = 7;

#elif defined(CASE_no_entry) /* notes, but no entry. Linked with good.so, whose entry dlsym would find. */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
static const opsrun_op op = {ONE_OP("Bad")};
static const opsrun_kernel kernel = {ONE_KERNEL("Bad")};
OPSRUN_EXPORT const void* opsrun_test_not_the_entry(int i) {
  return i == 0 ? (const void*)&op : &kernel;
}

#elif defined(CASE_entry_of_others) /* its entry is resolved at load time, to a function of the C library */
static opsrun_entry_fn Resolve(void) {
  return (opsrun_entry_fn)abort;
}
__attribute__((ifunc("Resolve"))) const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host);

#elif defined(CASE_returns_null) /* its entry returns neither a table nor a reason */
ENTRY(NULL)

#elif defined(CASE_fails) /* its entry reports why it fails, twice */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  const opsrun_str reason = STR("no licence file in /etc/acme"), afterthought = STR("and more"), nothing = {NULL, 0};
  host->fail(host, NULL, OPSRUN_FAILED_PRECONDITION, reason, nothing);
  host->fail(host, NULL, OPSRUN_INTERNAL, afterthought, nothing);
  return NULL;
}

#elif defined(CASE_fails_wildly)  /* its entry gives a reason in unreadable memory */
const opsrun_plugin* opsrun_plugin_v1(const opsrun_host* host) {
  const opsrun_str wild = {(const char*)0xDEAD0000, UINT64_MAX}, nothing = {NULL, 0};
  host->fail(host, NULL, OPSRUN_INTERNAL, wild, nothing);
  return NULL;
}

/* ---- Rejected because of its table. */
#elif defined(CASE_table_outside) /* its table is not in the file */
ENTRY((const opsrun_plugin*)host)

#elif defined(CASE_wild_pointer) /* the pointer to its ops is invalid */
PLUGIN(.ops = (const opsrun_op* const*)0xDEAD0000, .n_ops = 1)

#elif defined(CASE_wild_count) /* more inputs than fit in memory */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
PLUGIN(WITH_OPS(OP("Bad", .n_inputs = 0xFFFFFFFF)))

#elif defined(CASE_bad_spec) /* an op with an invalid spec string, and a good one */
OPSRUN_C_NOTE(fine_note, OPSRUN_NOTE_OP, "Fine");
OPSRUN_C_NOTE(bad_note, OPSRUN_NOTE_OP, "Bad");
static const opsrun_str attrs[] = {STR("T: tpye")};
static const opsrun_str inputs[] = {STR("x: in32")};
PLUGIN(WITH_OPS(OP("Fine"), OP("Bad", .inputs = inputs, .attrs = attrs, .n_attrs = 1)))

#elif defined(CASE_duplicate_op) /* one op twice */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
static const opsrun_op op = {ONE_OP("Bad")};
PLUGIN(WITH_OPS(&op, &op))

#elif defined(CASE_null_compute) /* a kernel without a compute function */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
PLUGIN(WITH_OPS(OP("Bad")), WITH_KERNELS(KERNEL("Bad", .compute = NULL)))

#elif defined(CASE_function_outside) /* a kernel whose destroy is another library's function */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Bad");
PLUGIN(WITH_OPS(OP("Bad")), WITH_KERNELS(KERNEL("Bad", .destroy = free)))

#elif defined(CASE_nameless_kernel) /* a kernel for no op */
PLUGIN(WITH_KERNELS(KERNEL("")))

#elif defined(CASE_two_names) /* its note and its table have different names */
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "one;1.0");
PLUGIN(.name = STR("another"), .version = STR("1.0"))

/* ---- Rejected because of what it needs, or does while it is loaded. */
#elif defined(CASE_needs_absent_library)
int opsrun_test_library(const char* variable);
static const opsrun_plugin table = {TABLE_HEAD};
ENTRY(opsrun_test_library("HOME") != 0 ? &table : NULL)

#elif defined(CASE_undefined_symbol) /* it calls an undefined function */
const opsrun_plugin* opsrun_test_nobody_defines_this(void);
ENTRY(opsrun_test_nobody_defines_this())

#elif defined(CASE_crashes) /* a constructor that ends the program */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Crashes");
__attribute__((constructor)) static void Crash(void) {
  abort();
}
PLUGIN(WITH_OPS(OP("Crashes")))

#elif defined(CASE_notes_rewritten) /* its notes change once it is loaded, as if the file had been replaced */
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Before");
__attribute__((constructor)) static void Rewrite(void) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), note = (uintptr_t)&op_note;
  mprotect((void*)(note / page * page), 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC);
  *(volatile char*)op_note.text = 'b';
}
PLUGIN()

#else
#error "no case is selected"
#endif
