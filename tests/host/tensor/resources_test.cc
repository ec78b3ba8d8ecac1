// tests/host/tensor/resources_test.cc: objects that kernels share; tests/host/run/parallel_run_test.cc has runs with
// them.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/resources.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

namespace opsrun::host {
namespace {

const ResourceKey kKey{nullptr, "c", "n", "t"};
std::atomic<int> made{0}, destroyed{0};

int32_t Make(void*, void** object) {
  *object = new int(++made);
  return OPSRUN_OK;
}
void Destroy(void* object) {
  ++destroyed;
  delete static_cast<int*>(object);
}
const ResourceMaker kMaker{Make, nullptr, Destroy};

const auto host = std::make_shared<const opsrun_host>();

class ResourcesTest : public testing::Test {
 protected:
  ResourcesTest() { made = destroyed = 0; }
  const opsrun_resource* Get(const ResourceKey& key = kKey) {
    const opsrun_resource* r = nullptr;
    EXPECT_EQ(resources_.FindOrMake(key, kMaker, host, &r), OPSRUN_OK);
    return r;
  }
  Resources resources_;
};

TEST_F(ResourcesTest, OneObjectForAKey) {
  const opsrun_resource* first = Get();
  const opsrun_resource* second = Get();
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::string(first->name.data, first->name.size), "n");
  ResourceKey other = kKey;
  other.plugin = this;
  const opsrun_resource* strangers = Get(other);
  EXPECT_NE(strangers, first);
  for (const opsrun_resource* r : {first, second, strangers}) Resources::Release(r);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(destroyed, 0);
  resources_.Clear();
  EXPECT_EQ(destroyed, 2);
}

TEST_F(ResourcesTest, LivesAsLongAsSomebodyHoldsIt) {
  const opsrun_resource* r = Get();
  EXPECT_EQ(resources_.Delete(kKey), OPSRUN_OK);
  EXPECT_EQ(resources_.Delete(kKey), OPSRUN_NOT_FOUND);
  EXPECT_EQ(destroyed, 0);
  Resources::Retain(r);
  Resources::Release(r);
  Resources::Release(r);
  EXPECT_EQ(destroyed, 1);
}

TEST_F(ResourcesTest, KeepsNothingThatCouldNotBeMade) {
  const opsrun_resource* r = nullptr;
  EXPECT_EQ(resources_.FindOrMake(kKey, {}, host, &r), OPSRUN_NOT_FOUND) << "without a maker";
  EXPECT_EQ(r, nullptr);
  const ResourceMaker broken{[](void*, void**) { return OPSRUN_DATA_LOSS; }, nullptr, nullptr};
  EXPECT_EQ(resources_.FindOrMake(kKey, broken, host, &r), OPSRUN_DATA_LOSS);
  EXPECT_EQ(resources_.size(), 0u);
}

// Plugins in C may all pass free, and call their types alike.
TEST_F(ResourcesTest, BelongToThePluginThatMadeThemWhateverTheyHaveInCommon) {
  const int plugins[2] = {};
  const opsrun_resource* const first = Get({&plugins[0], "c", "n", "table"});
  const opsrun_resource* const second = Get({&plugins[1], "c", "n", "table"});
  EXPECT_EQ(first->destroy, second->destroy);
  EXPECT_TRUE(Resources::IsOf(first, &plugins[0], "table"));
  EXPECT_FALSE(Resources::IsOf(first, &plugins[1], "table"));
  EXPECT_FALSE(Resources::IsOf(first, &plugins[0], "tables"));
  for (const opsrun_resource* r : {first, second}) Resources::Release(r);
}

// What the maker of an object does, as a function.
struct Making {
  std::function<int32_t()> act;

  ResourceMaker Maker() {
    return {[](void* self, void** object) {
              *object = nullptr;
              return static_cast<Making*>(self)->act();
            },
            this, nullptr};
  }
};

TEST_F(ResourcesTest, AMakerMayAskForOtherObjectsButNotForItsOwn) {
  const ResourceKey outer{nullptr, "c", "outer", "t"};
  const opsrun_resource* inner = nullptr;
  int32_t own = OPSRUN_OK;
  Making making{[&] {
    const opsrun_resource* none = nullptr;
    own = resources_.FindOrMake(outer, kMaker, host, &none);
    return resources_.FindOrMake(kKey, kMaker, host, &inner);
  }};
  const opsrun_resource* r = nullptr;
  ASSERT_EQ(resources_.FindOrMake(outer, making.Maker(), host, &r), OPSRUN_OK);
  EXPECT_EQ(own, OPSRUN_FAILED_PRECONDITION);
  EXPECT_EQ(made, 1);
  for (const opsrun_resource* each : {inner, r}) Resources::Release(each);
}

// The maker ends only after another thread had its own object, and a second asked for this one.
TEST_F(ResourcesTest, OnlyThoseWhoAskForTheSameObjectWaitForItsMaker) {
  const ResourceKey slow{nullptr, "c", "slow", "t"};
  std::promise<void> begun, may_end;
  std::atomic<int> runs{0};
  Making making{[&] {
    if (++runs == 1) begun.set_value();
    may_end.get_future().wait();
    return OPSRUN_OK;
  }};
  const auto ask = [&] {
    const opsrun_resource* r = nullptr;
    EXPECT_EQ(resources_.FindOrMake(slow, making.Maker(), host, &r), OPSRUN_OK);
    return r;
  };
  auto first = std::async(std::launch::async, ask);
  begun.get_future().wait();
  auto second = std::async(std::launch::async, ask);
  Resources::Release(Get());
  may_end.set_value();
  const opsrun_resource* const r = first.get();
  EXPECT_EQ(second.get(), r);
  EXPECT_EQ(runs, 1);
  for (int i = 0; i < 2; ++i) Resources::Release(r);
}

TEST_F(ResourcesTest, AMakerThatIsLeftByAnExceptionMakesNobodyWait) {
  const ResourceMaker thrower{[](void*, void**) -> int32_t { throw std::bad_alloc(); }, nullptr, nullptr};
  const opsrun_resource* r = nullptr;
  EXPECT_THROW(resources_.FindOrMake(kKey, thrower, host, &r), std::bad_alloc);
  Resources::Release(Get());
}

// Each of two makers asks for the other's object once both run.
TEST_F(ResourcesTest, MakersThatWaitForEachOtherAreRefused) {
  const ResourceKey keys[] = {{nullptr, "c", "a", "t"}, {nullptr, "c", "b", "t"}};
  std::atomic<int> running{0};
  std::atomic<int> refused{0};
  const auto make = [&](int i) {
    Making making{[&, i] {
      ++running;
      while (running < 2) std::this_thread::yield();
      const opsrun_resource* other = nullptr;
      const int32_t code = resources_.FindOrMake(keys[1 - i], {}, host, &other);
      if (code == OPSRUN_FAILED_PRECONDITION) ++refused;
      if (code == OPSRUN_OK) Resources::Release(other);
      return OPSRUN_OK;
    }};
    const opsrun_resource* r = nullptr;
    EXPECT_EQ(resources_.FindOrMake(keys[i], making.Maker(), host, &r), OPSRUN_OK);
    Resources::Release(r);
  };
  auto first = std::async(std::launch::async, make, 0);
  make(1);
  first.get();
  EXPECT_EQ(refused, 1) << "the other one waits, and gets the object";
}

}  // namespace
}  // namespace opsrun::host
