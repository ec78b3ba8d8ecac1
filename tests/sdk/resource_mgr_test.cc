// tests/sdk/resource_mgr_test.cc: objects that kernels share.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/resource_mgr.h"

#include <memory>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

int alive = 0;

struct Box : ResourceBase {
  explicit Box(int the_value) : value(the_value) { ++alive; }
  ~Box() override { --alive; }
  int value;
};
struct OtherBox : ResourceBase {};

struct ResourceTest : BodyTest {
  ResourceTest() {
    create.In("x", OPSRUN_DT_INT32);
    call.In<int32_t>({}, {1});
  }
  // Runs body(manager), which must fail with this message.
  void Manage(const std::string& failure, const std::function<Status(ResourceMgr*)>& body) {
    ComputeFails(failure,
                 [&body](OpKernelContext* context) { OP_REQUIRES_OK(context, body(context->resource_manager())); });
  }
};

TEST(ResourceMgr, CreatesAndFinds) {
  ResourceTest t;
  t.Manage("", [](ResourceMgr* manager) {
    TF_RETURN_IF_ERROR(manager->Create("c", "box", new Box(7)));
    Box* found = nullptr;
    TF_RETURN_IF_ERROR(manager->Lookup("c", "box", &found));
    const core::ScopedUnref unref(found);
    EXPECT_EQ(found->value, 7);
    return Status();
  });
  EXPECT_EQ(alive, 1);
  t.host.ForgetResources();
  EXPECT_EQ(alive, 0);
}

TEST(ResourceMgr, CreateTakesTheReferenceAlsoWhenItFails) {
  ResourceTest t;
  t.Manage("6: There is already a resource 'box' of type...", [](ResourceMgr* manager) {
    TF_RETURN_IF_ERROR(manager->Create("c", "box", new Box(7)));
    return manager->Create("c", "box", new Box(8));
  });
  EXPECT_EQ(alive, 1);
  t.host.ForgetResources();
}

TEST(ResourceMgr, TellsTypesAndContainersApart) {
  ResourceTest t;
  t.Manage("", [](ResourceMgr* manager) {
    TF_RETURN_IF_ERROR(manager->Create("c", "box", new Box(7)));
    Box* found = nullptr;
    OtherBox* other = nullptr;
    EXPECT_EQ(manager->Lookup("d", "box", &found).code(), error::NOT_FOUND);
    EXPECT_EQ(manager->Lookup("c", "box", &other).code(), error::NOT_FOUND);
    EXPECT_EQ(manager->Delete<OtherBox>("c", "box").code(), error::NOT_FOUND);
    return manager->Delete<Box>("c", "box");
  });
  EXPECT_EQ(alive, 0);
}

TEST(ResourceMgr, MakesAnObjectOnce) {
  ResourceTest t;
  int made = 0;
  t.Manage("", [&made](ResourceMgr* manager) {
    for (int i = 0; i < 3; ++i) {
      Box* box = nullptr;
      TF_RETURN_IF_ERROR(manager->LookupOrCreate<Box>("c", "box", &box, [&made](Box** fresh) {
        *fresh = new Box(++made);
        return Status();
      }));
      EXPECT_EQ(box->value, 1);
      box->Unref();
    }
    return Status();
  });
  t.host.ForgetResources();
  EXPECT_EQ(alive, 0);
}

TEST(ResourceMgr, GivesTheCreatorsStatus) {
  ResourceTest t;
  t.Manage("15: no lid", [](ResourceMgr* manager) {
    Box* box = nullptr;
    return manager->LookupOrCreate<Box>("c", "box", &box, [](Box**) { return errors::DataLoss("no lid"); });
  });
  EXPECT_EQ(t.host.named_resources(), 0);
}

TEST(ResourceHandle, MayBeMadeBeforeItsObject) {
  ResourceTest t;
  t.Computes([](OpKernelContext* context) {
    const ResourceHandle handle = MakeResourceHandle<Box>(context, "c", "later");
    Box* box = nullptr;
    EXPECT_EQ(LookupResource(context, handle, &box).code(), error::NOT_FOUND);
    EXPECT_EQ(DeleteResource<Box>(context, handle).code(), error::NOT_FOUND);
    OP_REQUIRES_OK(context, CreateResource(context, handle, new Box(1)));
    EXPECT_EQ(CreateResource(context, handle, new Box(1)).code(), error::ALREADY_EXISTS);
    OP_REQUIRES_OK(context, LookupResource(context, handle, &box));
    core::ScopedUnref unref(box);
    Box* same = nullptr;
    OP_REQUIRES_OK(context, context->resource_manager()->Lookup("c", "later", &same));
    EXPECT_EQ(same, box);
    same->Unref();
    OP_REQUIRES_OK(context, DeleteResource<Box>(context, handle));
    EXPECT_EQ(LookupResource(context, handle, &box).code(), error::NOT_FOUND);
  });
}

TEST(ResourceMgr, DeletesByHandleOnce) {
  ResourceTest t;
  t.Manage("", [](ResourceMgr* manager) {
    EXPECT_EQ(manager->Delete(ResourceHandle()).code(), error::NOT_FOUND);
    ResourceHandle handle;
    TF_RETURN_IF_ERROR(manager->LookupOrCreateHandle<Box>("c", "box", &handle, [](Box** box) {
      *box = new Box(7);
      return Status();
    }));
    TF_RETURN_IF_ERROR(manager->Delete(handle));
    EXPECT_EQ(manager->Delete(handle).code(), error::NOT_FOUND);
    EXPECT_EQ(alive, 1);
    return Status();
  });
  EXPECT_EQ(alive, 0);
}

TEST(ResourceHandle, TravelsInATensor) {
  auto maker = std::make_unique<BodyTest>();
  auto user = std::make_unique<BodyTest>();
  maker->create.Out("h", OPSRUN_DT_RESOURCE);
  maker->call.Out(OPSRUN_DT_RESOURCE);
  EXPECT_EQ(maker->Compute([](OpKernelContext* context) {
    OP_REQUIRES_OK(context, context->resource_manager()->Create("c", "box", new Box(7)));
    Tensor* output = NewOutput(context, 0, TensorShape());
    output->scalar<ResourceHandle>()() = MakeResourceHandle<Box>(context, "c", "box");
  }),
            "");
  const auto handles = maker->call.Values<const opsrun_resource*>(0);
  user->create.In("h", OPSRUN_DT_RESOURCE);
  user->call.In<const opsrun_resource*>({}, handles, OPSRUN_DT_RESOURCE);
  user->ComputeFails("3: The handle refers to resource 'box' of type...", [](OpKernelContext* context) {
    const ResourceHandle& handle = HandleFromInput(context, 0);
    EXPECT_EQ(handle.name(), "box");
    core::RefCountPtr<Box> box;
    OP_REQUIRES_OK(context, LookupResource(context, handle, &box));
    EXPECT_EQ(box->value, 7);
    core::RefCountPtr<OtherBox> other;
    OP_REQUIRES_OK(context, LookupResource(context, handle, &other));
  });
  maker->host.ForgetResources();
  EXPECT_EQ(alive, 1);
  user.reset();
  maker.reset();
  EXPECT_EQ(alive, 0);
}

class BoxOp : public ResourceOpKernel<Box> {
 public:
  using ResourceOpKernel<Box>::ResourceOpKernel;

 private:
  Status CreateResource(Box** box) override {
    *box = new Box(7);
    return Status::OK();
  }
};

// Its kernel has ended before.
TEST(ResourceOpKernel, AnObjectWithoutANameEndsWithTheHost) {
  {
    BodyTest t;
    t.create.Out("h", OPSRUN_DT_RESOURCE).attrs.String("container", "").String("shared_name", "");
    t.call.Out(OPSRUN_DT_RESOURCE);
    EXPECT_EQ(t.ComputeOf<BoxOp>(), "");
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(ResourceBase, SaysOfItselfWhatItKnows) {
  const OtherBox box;
  EXPECT_EQ(box.MemoryUsed(), 0);
  EXPECT_FALSE(box.DebugString().empty());
}

TEST(ResourceHandle, SaysWhichObjectItRefersTo) {
  opsrun_host host = {};
  static int held;
  held = 1;
  host.resource_retain = [](const opsrun_resource*) -> int32_t { return ++held, OPSRUN_OK; };
  host.resource_release = [](const opsrun_resource*) -> int32_t { return --held, OPSRUN_OK; };
  host.resource_object = [](const opsrun_resource*, const opsrun_plugin*, opsrun_str, void**) -> int32_t {
    return OPSRUN_INVALID_ARGUMENT;
  };
  const opsrun_resource object = {
      sizeof(opsrun_resource), 0, nullptr, &host, [](void*) {}, {"c", 1}, {"box", 3}, {"Box", 3}, {"other", 5}};
  {
    const ResourceHandle handle = ResourceHandle::Adopt(&object), copy = handle, none;
    EXPECT_EQ(held, 2);
    EXPECT_EQ(copy.container() + copy.name() + copy.maybe_type_name(), "cboxBox");
    EXPECT_EQ(copy.resource(), &object);
    EXPECT_EQ(none.container() + none.name() + none.maybe_type_name(), "");
    EXPECT_NE(copy.DebugString().find("box"), std::string::npos);
    EXPECT_EQ(none.DebugString().find("/"), std::string::npos);
    EXPECT_EQ(none.resource(), nullptr);
    EXPECT_EQ(internal::CheckHandle(handle, "Box").message(),
              "The handle refers to resource 'box' of type Box of another plugin, expected Box");
    EXPECT_EQ(internal::CheckHandle(none, "Box").message(), "The handle refers to no resource, expected Box");
  }
  EXPECT_EQ(held, 0);
}

struct UnnamedTest : BodyTest {
  UnnamedTest() {
    create.Out("handle", OPSRUN_DT_RESOURCE);
    call.Out(OPSRUN_DT_RESOURCE);
  }
};

TEST(UnnamedResource, LivesAsLongAsItsHandles) {
  BodyTest().Computes([](OpKernelContext* context) {
    ResourceHandle handle =
        ResourceHandle::MakeRefCountingHandle(new Box(5), context->device()->name(), {}, context->stack_trace());
    const ResourceHandle copy = handle;
    EXPECT_TRUE(copy.IsRefCounting());
    handle = {};
    EXPECT_EQ(alive, 1);
    const auto found = copy.GetResource<Box>();
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value()->value, 5);
    EXPECT_EQ(copy.GetResource<OtherBox>().status().code(), error::INVALID_ARGUMENT);
  });
  EXPECT_EQ(alive, 0);
}

TEST(UnnamedResource, IsKnownToTheHostAsAnOutput) {
  UnnamedTest t;
  t.Computes([](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {});
    output->scalar<ResourceHandle>()() = ResourceHandle::MakeRefCountingHandle(new Box(5), "");
  });
  EXPECT_EQ(t.host.named_resources(), 0);
  EXPECT_EQ(alive, 1);
}

TEST(UnnamedResource, GetsItsObjectLater) {
  UnnamedTest t;
  t.Computes([](OpKernelContext* context) {
    const ResourceHandle handle = MakePerStepResourceHandle<Box>(context, "counter");
    EXPECT_FALSE(handle.GetResource<Box>().ok());
    OP_REQUIRES_OK(context, CreateResource(context, handle, new Box(5)));
    EXPECT_EQ(CreateResource(context, handle, new Box(5)).code(), error::ALREADY_EXISTS);
    Box* found = nullptr;
    OP_REQUIRES_OK(context, LookupResource(context, handle, &found));
    const core::ScopedUnref unref(found);
    EXPECT_EQ(alive, 1);
    Tensor* output = NewOutput(context, 0, {});
    output->scalar<ResourceHandle>()() = handle;
  });
}

TEST(UnnamedResource, WithoutAnObjectIsNoOutput) {
  UnnamedTest t;
  t.ComputeFails("9:", [](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {});
    output->scalar<ResourceHandle>()() = MakePerStepResourceHandle<Box>(context, "none");
  });
}

}  // namespace

}  // namespace opsrun_test
