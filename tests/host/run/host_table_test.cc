// tests/host/run/host_table_test.cc: what the table that plugins call answers: without a call, while a kernel is made,
// and in shape functions.
// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "host/plugin/load.h"
#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

TEST(HostTable, EverySlotHasAFunction) {
  const std::shared_ptr<const opsrun_host> table = MakeHostTable(OpenCpuDevice());
  EXPECT_EQ(table->size, sizeof(opsrun_host));
  EXPECT_EQ(table->level, OPSRUN_LEVEL);
#define OPSRUN_SLOT_IS_SET(T, slot, n) EXPECT_NE(table->slot, static_cast<decltype(T::slot)>(0)) << #slot;
#define OPSRUN_NOTHING(T, field)
  OPSRUN_FIELDS_HOST(OPSRUN_SLOT_IS_SET, OPSRUN_NOTHING)
#undef OPSRUN_SLOT_IS_SET
#undef OPSRUN_NOTHING
}

opsrun_str Borrowed(std::string_view text) {
  return {text.data(), text.size()};
}

TEST(Log, ShowsNothingThatATerminalObeys) {
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice());
  ::testing::internal::CaptureStderr();
  host->log(host.get(), nullptr, OPSRUN_LOG_WARNING, Borrowed("a\x1b[2Jb\nc"), Borrowed("\x1b.cc"), 3);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: a\xEF\xBF\xBD[2Jb\nc (\xEF\xBF\xBD.cc:3)\n");
}

TEST(Log, HidesWhatIsBelowItsThresholdAndSaysWhichThatIs) {
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice(), {.log_threshold = OPSRUN_LOG_WARNING});
  opsrun_call call = {};
  call.kind = OPSRUN_KIND_CALL;
  call.host = host.get();
  const auto* log = static_cast<const opsrun_log*>(host->query(host.get(), Borrowed(OPSRUN_LOG_1)));
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(log->threshold(host.get()), OPSRUN_LOG_WARNING);
  ::testing::internal::CaptureStderr();
  host->log(host.get(), &call, OPSRUN_LOG_INFO, Borrowed("hidden"), {}, 0);
  host->log(host.get(), &call, OPSRUN_LOG_WARNING, Borrowed("shown"), {}, 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: shown\n");
}

TEST(Query, KnowsNoOtherInterface) {
  const std::shared_ptr<const opsrun_host> host = MakeHostTable(OpenCpuDevice());
  for (const char* id : {"", "opsrun.trace", "opsrun.trace/2", "opsrun.cuda/2"}) {
    EXPECT_EQ(host->query(host.get(), Borrowed(id)), nullptr) << id;
  }
  EXPECT_EQ(host->query(host.get(), {OPSRUN_TRACE_1, sizeof(OPSRUN_TRACE_1)}), nullptr) << "a NUL is no part of it";
}

// A plugin may have got several hosts, and logs from threads of its own.
TEST(Log, GoesToTheHostThatThePluginNames) {
  std::vector<std::string> lines[2];
  const auto host_of = [](std::vector<std::string>* to) {
    return MakeHostTable(OpenCpuDevice(), {.log = [to](const LogLine& line) { to->emplace_back(line.text); }});
  };
  const std::shared_ptr<const opsrun_host> hosts[] = {host_of(&lines[0]), host_of(&lines[1])};
  const opsrun_plugin* table = nullptr;
  const auto refusal = CallEntry(
      [](const opsrun_host* given) -> const opsrun_plugin* {
        given->log(given, nullptr, OPSRUN_LOG_INFO, Borrowed("starting"), Borrowed(""), 0);
        given->fail(given, nullptr, OPSRUN_ABORTED, Borrowed("not today"), Borrowed(""));
        return nullptr;
      },
      hosts[0].get(), &table);
  EXPECT_TRUE(refusal.has_value());
  std::thread([&] { hosts[0]->log(hosts[0].get(), nullptr, OPSRUN_LOG_INFO, Borrowed("later"), {}, 0); }).join();
  EXPECT_EQ(lines[0], (std::vector<std::string>{"starting", "later"}));
  EXPECT_TRUE(lines[1].empty());
}

}  // namespace

namespace {

// What the creation of the next kernels asks for, and how it ends.
std::function<int32_t(opsrun_create*)> asked;
int objects = 0;
int32_t CreateAsked(void*, opsrun_create* create, void** kernel) {
  const int32_t code = asked(create);
  objects += code == OPSRUN_OK;
  *kernel = &objects;
  return code;
}
void DestroyAsked(void*) {
  --objects;
}

constexpr char kBothRefused[] = "G216 4:11\nG216 5:11\n";

class CreateTest : public ::testing::Test {
 protected:
  CreateTest() {
    ops_.Add({.name = "Asks", .inputs = {"x: int32"}, .outputs = {"y: int32"}, .attrs = {"level: int = 1"}}, SameShape,
             AddOne, CreateAsked);
    ops_.LastKernel().destroy = DestroyAsked;
    objects = 0;
  }
  // The errors of a graph of two such nodes, or "" if they were made; then they are destroyed again.
  std::string Make(std::function<int32_t(opsrun_create*)> what) {
    asked = std::move(what);
    ops_.diagnostics = {};
    const Plan* plan = ops_.Make(
        "feeds: {x: {value: [1], dtype: int32}}\nnodes:\n  a: {op: Asks, in: x}\n"
        "  b: {op: Asks, in: a, attrs: {level: 2}}\noutputs: [b]\n",
        host_.get());
    EXPECT_EQ(objects, plan == nullptr ? 0 : 2);
    ops_.Forget();
    EXPECT_EQ(objects, 0);
    EXPECT_EQ(device_->used(), 0u);
    return ops_.Places();
  }

  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
  std::shared_ptr<const opsrun_host> host_ = MakeHostTable(device_);
  InProcessOps ops_;
};

int32_t Temporary(opsrun_create* create, int32_t dtype, int32_t rank, const int64_t* dims) {
  const opsrun_tensor* temp = nullptr;
  if (int32_t code = create->host->allocate_temp(create, dtype, rank, dims, 0, &temp)) return code;
  create->host->release(temp);
  return OPSRUN_OK;
}

TEST_F(CreateTest, ACallSaysWhatItIs) {
  EXPECT_EQ(Make([this](opsrun_create* create) {
              EXPECT_EQ(create->size, sizeof(opsrun_create));
              EXPECT_EQ(create->kind, OPSRUN_KIND_CREATE);
              EXPECT_EQ(create->host, host_.get());
              EXPECT_EQ(create->device.type, OPSRUN_DEVICE_CPU);
              EXPECT_EQ(std::string(create->op.data, create->op.size), "Asks");
              EXPECT_EQ(std::string(create->node.data, create->node.size), create->attrs[0].v.i == 2 ? "b" : "a");
              EXPECT_EQ(create->n_in + create->n_out, 2u);
              EXPECT_EQ(create->in_types[0], OPSRUN_DT_INT32);
              EXPECT_EQ(create->out_types[0], OPSRUN_DT_INT32);
              return int32_t{OPSRUN_OK};
            }),
            "");
}

TEST_F(CreateTest, ATemporaryIsGivenBackAndRefusedIfItHasNoShape) {
  const int64_t dims[] = {2, 3};
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_FLOAT, 2, dims); }), "");
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_STRING, 0, nullptr); }), "");
  const int64_t negative[] = {0, -1};
  for (const auto& [rank, dims] : {std::pair<int32_t, const int64_t*>{2, negative},
                                   {1, nullptr},
                                   {OPSRUN_MAX_RANK + 1, negative},
                                   {-1, negative}}) {
    EXPECT_EQ(Make([r = rank, d = dims](opsrun_create* create) { return Temporary(create, OPSRUN_DT_INT32, r, d); }),
              kBothRefused);
  }
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_INVALID, 0, nullptr); }),
            kBothRefused);
}

TEST_F(CreateTest, NoMemoryIsNoFaultOfTheGraph) {
  device_->FailIn(1);
  EXPECT_EQ(Make([&](opsrun_create* create) { return Temporary(create, OPSRUN_DT_INT32, 0, nullptr); }), "D401 5:11\n");
  EXPECT_EQ(Make([&](opsrun_create*) { return OPSRUN_RESOURCE_EXHAUSTED; }), "D401 4:11\nD401 5:11\n");
}

// A plan that is made without resources, as for a look at a graph, has none.
TEST_F(CreateTest, WithoutResourcesOneIsRefused) {
  const auto ask = [](opsrun_create* create) {
    const opsrun_resource* r = nullptr;
    return create->host->resource(create, C(""), C("r"), C("int"), nullptr, nullptr, nullptr, &r);
  };
  int32_t answer = OPSRUN_OK;
  EXPECT_EQ(Make([&](opsrun_create* create) { return answer = ask(create); }), kBothRefused);
  EXPECT_EQ(answer, OPSRUN_UNIMPLEMENTED);
  EXPECT_EQ(Make([&](opsrun_create* create) {
              return answer = create->host->resource_delete(create, C(""), C("r"), C("int"));
            }),
            kBothRefused);
  EXPECT_EQ(answer, OPSRUN_UNIMPLEMENTED);
}

TEST_F(CreateTest, TheAttrThatIsBlamedIsThePlace) {
  EXPECT_EQ(Make([](opsrun_create* create) {
              if (create->attrs[0].v.i == 1) return int32_t{OPSRUN_OK};
              create->host->fail(create->host, create, OPSRUN_INVALID_ARGUMENT, C("first"), C("attr:level"));
              return create->host->fail(create->host, create, OPSRUN_INTERNAL, C("second"), C("input:x"));
            }),
            "G216 5:39\n");
}

// The host's last refusal is told once.
TEST_F(CreateTest, ARefusalIsTakenOnce) {
  EXPECT_EQ(Make([](opsrun_create* create) {
              const opsrun_tensor* temp = nullptr;
              if (int32_t code = create->host->allocate_temp(create, OPSRUN_DT_INT32, 0, nullptr, 0, &temp))
                return code;
              const int32_t refused = create->host->string_assign(temp, 0, "x", 1);
              create->host->release(temp);
              return refused == OPSRUN_INVALID_ARGUMENT ? OPSRUN_OK : OPSRUN_INTERNAL;
            }),
            "");
  EXPECT_EQ(TakeRefusal(host_.get()).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(TakeRefusal(host_.get()).code(), OPSRUN_OK);
}

}  // namespace

namespace {

std::function<void(opsrun_shape_call*)> to_infer;
int32_t InferIt(void*, opsrun_shape_call* call) {
  to_infer(call);
  return OPSRUN_OK;
}

// Calls `what` as the shape function of a node with inputs [3] and [?] and two outputs, and looks at the first one.
std::string ShapeAfter(std::function<void(opsrun_shape_call*)> what) {
  to_infer = std::move(what);
  InProcessOps ops;
  ops.Add({.name = "Infer", .inputs = {"a: int32", "b: int32"}, .outputs = {"p: int32", "q: int32"}}, InferIt, AddOne);
  const Plan* plan = ops.Make(
      "feeds:\n  x: {value: [1, 2, 3], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\n"
      "nodes: {n: {op: Infer, in: [x, d]}}\noutputs: [n.p]\n",
      HostTable());
  if (plan == nullptr) return ops.Places();
  const PlanValue& value = plan->values[plan->outputs[0].value];
  return value.rank_known ? ShapeText(value.shape()) : "?";
}

constexpr int32_t kRefused = OPSRUN_INVALID_ARGUMENT;
constexpr int32_t kAtFault = OPSRUN_INTERNAL;  // what no graph can cause

TEST(ShapeSlots, TheFirstReasonCounts) {
  InProcessOps ops;
  const auto refuse = [](void*, opsrun_shape_call* c) {
    c->host->set_output_shape(c, 9, c->in[0]);  // what the host refuses counts less
    c->host->fail(c->host, c, OPSRUN_RESOURCE_EXHAUSTED, C("first"), C("input:b"));
    return c->host->fail(c->host, c, OPSRUN_OK, C("second"), C("input:a"));  // a failure, whatever its code
  };
  ops.Add({.name = "Infer", .inputs = {"a: int32", "b: int32"}, .outputs = {"p: int32"}}, refuse, AddOne);
  const Plan* plan = ops.Make(
      "feeds: {x: {value: [1], dtype: int32}}\nnodes: {n: {op: Infer, in: [x, x]}}\noutputs: [n]\n", HostTable());
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(ops.Places(), "G217 3:32\n");
}

TEST(ShapeSlots, ACallSaysWhatItIs) {
  ShapeAfter([](opsrun_shape_call* c) {
    EXPECT_EQ(c->size, sizeof(opsrun_shape_call));
    EXPECT_EQ(c->kind, OPSRUN_KIND_SHAPE_CALL);
    EXPECT_EQ(c->host, HostTable());
    EXPECT_EQ(c->n_attrs, 0u);
    EXPECT_EQ(c->n_in_args, 2u);
    EXPECT_EQ(c->n_out_args, 2u);
    EXPECT_EQ(c->n_in, 2u);
    EXPECT_EQ(c->n_out, 2u);
  });
}

TEST(ShapeSlots, OutputsAreWhatWasSetLast) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call*) {}), "?");
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              EXPECT_EQ(c->host->set_output_shape(c, 0, c->in[1]), OPSRUN_OK);
              EXPECT_EQ(c->host->set_output_shape(c, 0, c->in[0]), OPSRUN_OK);
              EXPECT_EQ(c->host->set_output_shape(c, 1, c->in[1]), OPSRUN_OK);
            }),
            "[3]");
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              c->host->set_output_shape(c, 0, c->in[0]);
              EXPECT_EQ(c->host->set_output_shape(c, 0, nullptr), OPSRUN_OK);
            }),
            "?");
}

// A shape or a dimension that the host did not make would be read long after it is gone.
TEST(ShapeSlots, HandlesOfOthersAreRefused) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              const opsrun_dim dim = *c->in[0]->dims[0];
              const opsrun_dim* const dims[] = {&dim};
              opsrun_shape shape = *c->in[0];
              const opsrun_dim* own = c->in[1]->dims[0];
              const opsrun_dim* made = nullptr;
              const opsrun_shape* made_shape = nullptr;
              EXPECT_EQ(c->host->set_output_shape(c, 0, &shape), kAtFault);
              EXPECT_EQ(c->host->set_output_value(c, 0, &shape), kAtFault);
              EXPECT_EQ(c->host->make_shape(c, 1, dims, &made_shape), kAtFault);
              EXPECT_EQ(c->host->equate(c, &dim, own), kAtFault);
              EXPECT_EQ(c->host->equate(c, own, &dim), kAtFault);
              EXPECT_EQ(c->host->dim_op(c, OPSRUN_DIM_ADD, &dim, own, &made), kAtFault);
              EXPECT_EQ(c->host->dim_op(c, OPSRUN_DIM_ADD, own, &dim, &made), kAtFault);
            }),
            "?");
}

TEST(ShapeSlots, IndicesEndWhereInputsAndOutputsEnd) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              const opsrun_tensor* value = nullptr;
              const opsrun_shape* spelled = nullptr;
              EXPECT_EQ(c->host->set_output_shape(c, 2, c->in[0]), kAtFault);
              EXPECT_EQ(c->host->set_output_value(c, 2, c->in[0]), kAtFault);
              EXPECT_EQ(c->host->set_output_value(c, 1, c->in[0]), OPSRUN_OK);
              EXPECT_EQ(c->host->want_value(c, 2, &value, &spelled), kAtFault);
              EXPECT_EQ(c->host->want_value(c, 1, &value, &spelled), OPSRUN_OK);
              EXPECT_EQ(value, nullptr);
              EXPECT_EQ(spelled, nullptr);
              EXPECT_EQ(c->host->want_value(c, 0, nullptr, nullptr), OPSRUN_OK);
              EXPECT_EQ(c->host->want_value(c, 0, &value, &spelled), OPSRUN_OK);
              ASSERT_NE(value, nullptr);
              EXPECT_EQ(Ints(value)[2], 3);
              ASSERT_NE(spelled, nullptr);
              EXPECT_EQ(spelled->dims[2]->value, 3);
            }),
            "?");
}

// The others are in tests/host/spec/shape_engine_test.cc.
TEST(ShapeSlots, SizesAndRanksHaveLimits) {
  EXPECT_EQ(ShapeAfter([](opsrun_shape_call* c) {
              const opsrun_dim* dim = nullptr;
              const opsrun_shape* elements = nullptr;
              EXPECT_EQ(c->host->make_dim(c, -3, &dim), OPSRUN_OK) << "the number -2";
              EXPECT_EQ(c->host->make_shape(c, 1, &dim, &elements), OPSRUN_OK);
              EXPECT_EQ(c->host->set_output_shape(c, 0, elements), kRefused);
              EXPECT_EQ(c->host->equate(c, dim, dim), kRefused);
              EXPECT_EQ(c->host->make_dim(c, INT64_MAX, &dim), OPSRUN_OK);
              EXPECT_EQ(dim->value, INT64_MAX);
              EXPECT_EQ(c->host->make_dim(c, -1, &dim), OPSRUN_OK);
              EXPECT_EQ(dim->value, -1);
              const std::vector<const opsrun_dim*> dims(65, dim);
              const opsrun_shape* shape = nullptr;
              EXPECT_EQ(c->host->make_shape(c, 65, dims.data(), &shape), kRefused);
              EXPECT_EQ(c->host->make_shape(c, -1, nullptr, &shape), OPSRUN_OK);
              EXPECT_EQ(shape->rank, -1);
              EXPECT_EQ(c->host->set_output_shape(c, 0, shape), OPSRUN_OK);
            }),
            "?");
}

}  // namespace
}  // namespace opsrun::host
