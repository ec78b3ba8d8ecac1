// tests/sdk/unnamed_resource_test.cc: objects that only their handles keep.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/resource_mgr.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

int kept = 0;

struct Counter : ResourceBase {
  Counter() { ++kept; }
  ~Counter() override { --kept; }
  int value = 5;
};
struct OtherCounter : ResourceBase {};

struct UnnamedTest : BodyTest {
  UnnamedTest() {
    create.Out("handle", OPSRUN_DT_RESOURCE);
    call.Out(OPSRUN_DT_RESOURCE);
  }
};

TEST(UnnamedResource, LivesAsLongAsItsHandles) {
  UnnamedTest t;
  t.call.Out(OPSRUN_DT_RESOURCE);
  t.Compute([](OpKernelContext* context) {
    ResourceHandle handle =
        ResourceHandle::MakeRefCountingHandle(new Counter, context->device()->name(), {}, context->stack_trace());
    const ResourceHandle copy = handle;
    EXPECT_TRUE(copy.IsRefCounting());
    handle = {};
    EXPECT_EQ(kept, 1);
    const auto found = copy.GetResource<Counter>();
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value()->value, 5);
    EXPECT_EQ(copy.GetResource<OtherCounter>().status().code(), error::INVALID_ARGUMENT);
  });
  EXPECT_EQ(kept, 0);
}

TEST(UnnamedResource, IsKnownToTheHostAsAnOutput) {
  UnnamedTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<ResourceHandle>()() = ResourceHandle::MakeRefCountingHandle(new Counter, "");
  }),
            "");
  EXPECT_EQ(t.host.named_resources(), 0);
  EXPECT_EQ(kept, 1);
}

TEST(UnnamedResource, GetsItsObjectLater) {
  UnnamedTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    const ResourceHandle handle = MakePerStepResourceHandle<Counter>(context, "counter");
    EXPECT_FALSE(handle.GetResource<Counter>().ok());
    OP_REQUIRES_OK(context, CreateResource(context, handle, new Counter));
    EXPECT_EQ(CreateResource(context, handle, new Counter).code(), error::ALREADY_EXISTS);
    Counter* found = nullptr;
    OP_REQUIRES_OK(context, LookupResource(context, handle, &found));
    const core::ScopedUnref unref(found);
    EXPECT_EQ(kept, 1);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<ResourceHandle>()() = handle;
  }),
            "");
}

TEST(UnnamedResource, WithoutAnObjectIsNoOutput) {
  UnnamedTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
               Tensor* output = nullptr;
               OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
               output->scalar<ResourceHandle>()() = MakePerStepResourceHandle<Counter>(context, "none");
             }).substr(0, 2),
            "9:");
}

}  // namespace
}  // namespace opsrun_test
