// Proxies of objects that only another process has.
#include "host/isolate/handles.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

// The one object that there is.
opsrun_resource only = {};
int deleted = 0;

int32_t Resource(void*, opsrun_str, opsrun_str, opsrun_str, int32_t (*make)(void*, void**), void* ctx,
                 void (*destroy)(void*), const opsrun_resource** r) {
  only.destroy = destroy;
  *r = &only;
  return make(ctx, &only.obj);
}
int32_t Delete(void*, opsrun_str, opsrun_str, opsrun_str) {
  ++deleted;
  return OPSRUN_OK;
}
int32_t Refuse(void*, opsrun_str, opsrun_str, opsrun_str, int32_t (*)(void*, void**), void*, void (*)(void*),
               const opsrun_resource**) {
  return OPSRUN_RESOURCE_EXHAUSTED;
}

TEST(Proxies, KnowTheirTokenAndTellWhenTheyEnd) {
  opsrun_host host = {};
  host.resource = Resource;
  host.resource_delete = Delete;
  opsrun_call call = {};
  call.host = &host;
  auto process = std::make_shared<UnusedTokens>(), other = std::make_shared<UnusedTokens>();
  const opsrun_resource* element = nullptr;
  ASSERT_TRUE(MakeProxy(&call, process, 7, &element).ok());
  EXPECT_EQ(deleted, 1);  // nobody else finds it
  EXPECT_EQ(TokenOf(element, *process), 7u);
  EXPECT_EQ(TokenOf(element, *other), std::nullopt);
  EXPECT_TRUE(process->Take().empty());
  const std::weak_ptr<UnusedTokens> alive = process;
  process.reset();
  ASSERT_FALSE(alive.expired());  // a proxy may outlive its process
  process = alive.lock();
  element->destroy(element->obj);
  EXPECT_EQ(process->Take(), std::vector<uint64_t>{7});
  EXPECT_TRUE(process->Take().empty());
  EXPECT_TRUE(other->Take().empty());
}

TEST(Proxies, OtherObjectsAreNone) {
  const UnusedTokens process;
  opsrun_resource object = {};
  EXPECT_EQ(TokenOf(nullptr, process), 0u);
  EXPECT_EQ(TokenOf(&object, process), std::nullopt);
}

TEST(Proxies, AHostMayRefuse) {
  opsrun_host host = {};
  host.resource = Refuse;
  opsrun_call call = {};
  call.host = &host;
  const opsrun_resource* element = nullptr;
  EXPECT_EQ(MakeProxy(&call, std::make_shared<UnusedTokens>(), 7, &element).code(), OPSRUN_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace opsrun::host
