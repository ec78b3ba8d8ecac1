// tests/sdk/every_call_fails_test.cc: kernels whose n-th call of the host fails, for every n: the failure is reported,
// all references and memory are released, and the next call succeeds.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel_context.h"
#include "opsrun/resource_mgr.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

typedef std::vector<int32_t> Ints;
typedef std::vector<std::string> Texts;

struct Counter : ResourceBase {
  int value = 0;
};

// Two inputs, int32 and string; outputs of int32, string, resource, and a list of nine.
struct Scene : BodyTest {
  Scene() {
    create.In("x", OPSRUN_DT_INT32).In("s", OPSRUN_DT_STRING);
    create.Out("y", OPSRUN_DT_INT32).Out("t", OPSRUN_DT_STRING).Out("r", OPSRUN_DT_RESOURCE);
    create.OutList("l", std::vector<int32_t>(9, OPSRUN_DT_INT32));
    call.In<int32_t>({2}, {7, 8}).InStrings({2}, {"one", "a text of more than a few characters"});
    call.Out(OPSRUN_DT_INT32).Out(OPSRUN_DT_STRING).Out(OPSRUN_DT_RESOURCE);
    for (int i = 0; i < 9; ++i) call.Planned(OPSRUN_DT_INT32, {});
    call.Forwardable(0);
  }
  void ExpectRight() const {
    EXPECT_EQ(call.Values<int32_t>(0), (Ints{8, 9}));
    EXPECT_EQ(call.Strings(1), (Texts{"a text of more than a few characters!", "one!"}));
    for (uint32_t i = 0; i < 9; ++i) EXPECT_EQ(call.Values<int32_t>(3 + i), Ints{static_cast<int32_t>(i)});
  }
};

void AddOneTo(const Tensor& x, Tensor* y) {
  const auto in = x.flat<int32>();
  auto out = y->flat<int32>();
  for (int64 i = 0; i < in.size(); ++i) out(i) = in(i) + 1;
}
template <typename S>
void TurnTexts(const Tensor& s, Tensor* t) {
  const auto in = s.flat<S>();
  auto out = t->flat<S>();
  for (int64 i = 0; i < in.size(); ++i) {
    out(i) = in(in.size() - 1 - i);
    out(i) += "!";
  }
}
Status FillList(OpKernelContext* context) {
  OpOutputList list;
  TF_RETURN_IF_ERROR(context->output_list("l", &list));
  for (int i = 0; i < list.size(); ++i) {
    Tensor* element = nullptr;
    EXPECT_EQ(list[i], nullptr);
    TF_RETURN_IF_ERROR(list.allocate(i, TensorShape(), &element));
    EXPECT_EQ(list[i], element);
    element->scalar<int32>()() = i;
  }
  return Status::OK();
}
Status GiveResource(OpKernelContext* context) {
  Counter* counter = nullptr;
  TF_RETURN_IF_ERROR(context->resource_manager()->LookupOrCreate<Counter>("c", "counter", &counter, [](Counter** made) {
    *made = new Counter;
    return Status();
  }));
  ++counter->value;
  counter->Unref();
  Tensor* r = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(2, TensorShape(), &r));
  r->scalar<ResourceHandle>()() = MakeResourceHandle<Counter>(context, "c", "counter");
  return Status::OK();
}

Status Allocates(OpKernelContext* context) {
  Tensor *y = nullptr, *t = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output("y", context->input(0).shape(), &y));
  TF_RETURN_IF_ERROR(context->allocate_output("t", context->input(1).shape(), &t));
  AddOneTo(context->input(0), y);
  TurnTexts<tstring>(context->input(1), t);
  TF_RETURN_IF_ERROR(GiveResource(context));
  return FillList(context);
}
Status ForwardsAndAssigns(OpKernelContext* context) {
  Tensor *y = nullptr, *t = nullptr;
  TF_RETURN_IF_ERROR(context->forward_input_or_allocate_output({"x"}, "y", context->input(0).shape(), &y));
  AddOneTo(context->input(0), y);
  TF_RETURN_IF_ERROR(context->allocate_output(1, TensorShape({5}), &t));
  Tensor made;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_STRING, TensorShape({2}), &made));
  TurnTexts<std::string>(context->input(1), &made);
  *t = made;
  TF_RETURN_IF_ERROR(GiveResource(context));
  return FillList(context);
}
Status SetsTemporaries(OpKernelContext* context) {
  Tensor y, t, r;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT32, TensorShape({2}), &y));
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_STRING, TensorShape({2}), &t));
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_RESOURCE, TensorShape({1}), &r));
  AddOneTo(context->input(0), &y);
  TurnTexts<tstring>(context->input(1), &t);
  const Tensor same_y = y, same_t = t;
  context->set_output(0, same_y);
  TF_RETURN_IF_ERROR(context->set_output("t", same_t));
  context->set_output(2, r);
  return FillList(context);
}
// Copies of inputs are written to, kept by other tensors, moved and swapped, and destroyed in another order.
Status CopiesInputs(OpKernelContext* context) {
  Tensor y = context->input(0), t = context->input(1), kept = t;
  Tensor other = std::move(y);
  y = other;
  other = Tensor();
  std::swap(kept, other);
  const std::vector<Tensor> many(3, y);
  Tensor *out = nullptr, *r = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({3}), &out));
  Tensor sum, turned;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT32, y.shape(), &sum));
  AddOneTo(many[2], &sum);
  *out = sum;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_STRING, t.shape(), &turned));
  TurnTexts<tstring>(other, &turned);
  t = turned;
  context->set_output(1, t);
  TF_RETURN_IF_ERROR(context->allocate_output(2, TensorShape({0}), &r));
  return FillList(context);
}

constexpr Status (*kBodies[])(OpKernelContext*) = {Allocates, ForwardsAndAssigns, SetsTemporaries, CopiesInputs};

class EveryCallFails : public ::testing::TestWithParam<int> {
 protected:
  static std::string Run(Scene& scene) {
    return scene.Compute([](OpKernelContext* context) { OP_REQUIRES_OK(context, kBodies[GetParam()](context)); });
  }
};

TEST_P(EveryCallFails, AndTheNextRunIsRight) {
  Scene scene;
  for (int call = 0;; ++call) {
    scene.host.FailIn(call);
    const std::string said = Run(scene);
    const bool all_called = scene.host.HasNotFailed();
    scene.host.FailIn(-1);
    EXPECT_EQ(scene.host.held_tensors(), 0) << "call " << call;
    if (all_called) {
      EXPECT_EQ(said, "");
    } else if (!said.empty()) {
      EXPECT_EQ(said.substr(0, 3), "8: ") << "call " << call;
    }
    if (said.empty()) scene.ExpectRight();
    EXPECT_EQ(Run(scene), "") << "after call " << call;
    scene.ExpectRight();
    if (HasFailure() || all_called) return;
  }
}

TEST_P(EveryCallFails, AndNoMemoryIsLost) {
  for (int call = 0, all_called = 0; all_called == 0; ++call) {
    ExpectNoLeak([&] {
      Scene scene;
      scene.host.FailIn(call);
      Run(scene);
      all_called = scene.host.HasNotFailed();
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, EveryCallFails, ::testing::Range(0, 4));

}  // namespace
}  // namespace opsrun_test
