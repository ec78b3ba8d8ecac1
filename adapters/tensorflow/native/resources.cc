// adapters/tensorflow/native/resources.cc
// SPDX-License-Identifier: Apache-2.0
#include "resources.h"

#include <string>

#include "adapters/common/failure.h"

namespace opsrun_tf {
namespace {

class PluginObject : public tensorflow::ResourceBase {
 public:
  explicit PluginObject(const opsrun_resource* resource) : resource_(resource) {}
  ~PluginObject() override { resource_->host->resource_release(resource_); }

  const opsrun_resource* resource() const { return resource_; }
  std::string DebugString() const override {
    return "opsrun resource '" + opsrun_adapter::Text(resource_->name) + "' of type " +
           opsrun_adapter::Text(resource_->type);
  }

 private:
  const opsrun_resource* const resource_;
};

}  // namespace

tensorflow::ResourceHandle HandleOf(const opsrun_resource* resource) {
  return tensorflow::ResourceHandle::MakeRefCountingHandle(new PluginObject(resource), "");
}

const opsrun_resource* ResourceIn(const tensorflow::ResourceHandle& handle) {
  const auto* const object = dynamic_cast<const PluginObject*>(handle.resource().get());
  return object == nullptr ? nullptr : object->resource();
}

}  // namespace opsrun_tf
