// tests/host/tensor/resources_test.cc: objects of one thread; tests/host/run/parallel_run_test.cc has those of many.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/resources.h"

#include <gtest/gtest.h>

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

TEST_F(ResourcesTest, RefusesAMakerThatAsksForResources) {
  const ResourceMaker nested{[](void* resources, void** object) {
                               const opsrun_resource* r = nullptr;
                               *object = nullptr;
                               return static_cast<Resources*>(resources)->FindOrMake(kKey, kMaker, host, &r);
                             },
                             &resources_, nullptr};
  const opsrun_resource* r = nullptr;
  EXPECT_EQ(resources_.FindOrMake({nullptr, "c", "outer", "t"}, nested, host, &r), OPSRUN_FAILED_PRECONDITION);
  Resources::Release(Get());
}

}  // namespace
}  // namespace opsrun::host
