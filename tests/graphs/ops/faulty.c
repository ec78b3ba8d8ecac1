/* tests/graphs/ops/faulty.c: kernels that each break a rule of the contract, which the host must report.
 *
 * In plain C, because the SDK would detect it first. SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "tests/bad_plugins/one_op.h"

OPSRUN_C_PLUGIN_NOTE(plugin_note);
OPSRUN_C_NOTE(name_note, OPSRUN_NOTE_NAME, "test.faulty;1.0");
OPSRUN_C_NOTE(op_note, OPSRUN_NOTE_OP, "Faulty");
OPSRUN_C_NOTE(late_op_note, OPSRUN_NOTE_OP, "LateFaulty");
OPSRUN_C_NOTE(kernel_note, OPSRUN_NOTE_KERNEL, "Faulty;CPU");
OPSRUN_C_NOTE(late_kernel_note, OPSRUN_NOTE_KERNEL, "LateFaulty;CPU");

static const int64_t two_by_three[] = {2, 3};

static int32_t Allocate(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims) {
  opsrun_tensor* out = NULL;
  return call->host->allocate_output(call, i, rank, dims, &out);
}

static int32_t AllocateTwice(opsrun_call* call) {
  const int32_t code = Allocate(call, 0, 2, two_by_three);
  return code != OPSRUN_OK ? code : Allocate(call, 0, 2, two_by_three);
}
static int32_t AllocateAnotherShape(opsrun_call* call) { return Allocate(call, 0, 2, two_by_three); }
static int32_t AllocateWithoutSizes(opsrun_call* call) { return Allocate(call, 0, 1, NULL); }
static int32_t AllocateRank70(opsrun_call* call) { return Allocate(call, 0, 70, two_by_three); }
static int32_t AllocateOutput1(opsrun_call* call) { return Allocate(call, 1, 2, two_by_three); }
static int32_t SetNothing(opsrun_call* call) { return call->host->set_output(call, 0, NULL); }
static int32_t Forget(opsrun_call* call) {
  (void)call;
  return OPSRUN_OK;
}
static int32_t GiveNoReason(opsrun_call* call) {
  (void)call;
  return OPSRUN_ABORTED;
}
static int32_t SetAnotherType(opsrun_call* call) {
  const opsrun_tensor* floats = NULL;
  int32_t code = call->host->allocate_temp(call, OPSRUN_DT_FLOAT, 2, two_by_three, 0, &floats);
  if (code == OPSRUN_OK) code = call->host->set_output(call, 0, floats);
  call->host->release(floats);
  return code;
}

/* Calls that return only a code; the host provides the reason. On a temporary of two strings. */
static int32_t OnStrings(opsrun_call* call, int32_t (*misuse)(const opsrun_tensor*)) {
  const opsrun_tensor* strings = NULL;
  const int64_t two = 2;
  int32_t code = call->host->allocate_temp(call, OPSRUN_DT_STRING, 1, &two, 0, &strings);
  if (code != OPSRUN_OK) return code;
  code = misuse(strings);
  call->host->release(strings);
  return code;
}
static int32_t Behind(const opsrun_tensor* t) { return t->host->string_assign(t, 2, "a", 1); }
static int32_t AssignBehind(opsrun_call* call) { return OnStrings(call, Behind); }
static int32_t Endless(const opsrun_tensor* t) { return t->host->string_assign(t, 0, "a", UINT64_MAX); }
static int32_t AssignEndless(opsrun_call* call) { return OnStrings(call, Endless); }
static int32_t Null(const opsrun_tensor* t) { return t->host->string_assign(t, 0, NULL, 1); }
static int32_t AssignFromNull(opsrun_call* call) { return OnStrings(call, Null); }
static int32_t AssignToNumbers(opsrun_call* call) { return call->host->string_assign(call->in[0], 0, "a", 1); }
static int32_t Swap(const opsrun_tensor* t) { return t->host->string_swap(t, 0, 7); }
static int32_t SwapBehind(opsrun_call* call) { return OnStrings(call, Swap); }
static int32_t DeleteNothing(opsrun_call* call) {
  static const opsrun_str box = STR("box"), pear = STR("pear"), fruit = STR("Fruit");
  return call->host->resource_delete(call, box, pear, fruit);
}
/* A slot that a later level may have, without OPSRUN_HAS. */
static int32_t UseALaterSlot(opsrun_call* call) {
  const opsrun_host* host = call->host;
  return (*(int32_t (*const volatile*)(opsrun_call*))((const char*)host + host->size))(call);
}
/* Continues after a failed call, and then fails with another code. */
static int32_t FailLater(opsrun_call* call) {
  OnStrings(call, Swap);
  return OPSRUN_ABORTED;
}

struct Fault {
  const char* name;
  int32_t (*commit)(opsrun_call*);
};
static const struct Fault faults[] = {
    {"allocates twice", AllocateTwice},          {"allocates another shape", AllocateAnotherShape},
    {"gives no sizes", AllocateWithoutSizes},    {"allocates rank 70", AllocateRank70},
    {"allocates output 1", AllocateOutput1},     {"sets nothing", SetNothing},
    {"forgets its output", Forget},              {"gives no reason", GiveNoReason},
    {"sets another type", SetAnotherType},       {"assigns behind the end", AssignBehind},
    {"assigns endless text", AssignEndless},     {"assigns from null", AssignFromNull},
    {"assigns to its input", AssignToNumbers},   {"swaps behind the end", SwapBehind},
    {"deletes nothing", DeleteNothing},          {"fails later", FailLater},
    {"uses a later slot", UseALaterSlot},
};

static int32_t Choose(void* ctx, opsrun_create* create, void** kernel) {
  static const opsrun_str why = STR("no such fault");
  static const opsrun_str subject = STR("attr:fault");
  const opsrun_str wanted = create->attrs[0].v.s;
  (void)ctx;
  for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); ++i) {
    if (strlen(faults[i].name) != wanted.size || memcmp(faults[i].name, wanted.data, wanted.size) != 0) continue;
    *kernel = (void*)&faults[i];
    return OPSRUN_OK;
  }
  return create->host->fail(create->host, create, OPSRUN_INVALID_ARGUMENT, why, subject);
}

static int32_t Commit(void* kernel, opsrun_call* call) { return ((const struct Fault*)kernel)->commit(call); }

static int32_t SameShape(void* ctx, opsrun_shape_call* call) {
  (void)ctx;
  return call->host->set_output_shape(call, 0, call->in[0]);
}

static const opsrun_str attrs[] = {STR("fault: string")};
static const opsrun_op op = {ONE_OP("Faulty"), .attrs = attrs, .n_attrs = 1, .shape = SameShape};
static const opsrun_op late_op = {ONE_OP("LateFaulty"), .attrs = attrs, .n_attrs = 1};
static const opsrun_op* const ops[] = {&op, &late_op};
static const opsrun_kernel kernel = {ONE_KERNEL("Faulty"), .create = Choose, .compute = Commit};
static const opsrun_kernel late_kernel = {ONE_KERNEL("LateFaulty"), .create = Choose, .compute = Commit};
static const opsrun_kernel* const kernels[] = {&kernel, &late_kernel};
static const opsrun_plugin table = {TABLE_HEAD, OPS(ops), KERNELS(kernels), .name = STR("test.faulty"),
                                    .version = STR("1.0")};

ENTRY(&table)
