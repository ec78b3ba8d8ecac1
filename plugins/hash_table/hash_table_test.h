// plugins/hash_table/hash_table_test.h: the ops of this plugin as a host sees them, called through the plugin's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/sdk/fake_shape_call.h"
#include "tests/sdk/own_plugin.h"

namespace hash_table_test {

using opsrun_test::FakeCall;
using opsrun_test::FakeCreate;
using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using opsrun_test::FakeTensor;
using opsrun_test::Refusal;
using opsrun_test::Told;
using Sizes = std::vector<int64_t>;
using Strings = std::vector<std::string>;

// A kernel of one node, as long as this lives.
class Node {
 public:
  // `setup` adds arguments and attrs.
  Node(
      FakeHost& host, const std::string& op, const std::string& name, const std::function<void(FakeCreate&)>& setup,
      const std::function<bool(const opsrun_kernel&)>& fits = [](const opsrun_kernel&) { return true; })
      : kernel_(opsrun_test::FindKernel(host, op, fits)) {
    FakeCreate create(host, op, name);
    setup(create);
    if (create.Run(*kernel_, &object_) != OPSRUN_OK) refusal_ = Told(create.failure());
  }
  Node(const Node&) = delete;
  ~Node() {
    if (object_ != nullptr) kernel_->destroy(object_);
  }

  const std::string& refusal() const { return refusal_; }
  // "ok", or why not.
  std::string Run(FakeCall& call) {
    return call.Run(kernel_->compute, object_) == OPSRUN_OK ? "ok" : Told(call.failure());
  }

 private:
  const opsrun_kernel* kernel_;
  void* object_ = nullptr;
  std::string refusal_;
};

class HashTableOps : public testing::Test {
 protected:
  // The handle of a table that a node of this name makes, as a tensor; or why not.
  FakeTensor* Handle(int32_t keys, int32_t values, const std::string& shared_name = "", const std::string& node = "t") {
    const auto takes = [&](const opsrun_kernel& kernel) {
      return kernel.constraints[0].v.ints[0] == keys && kernel.constraints[1].v.ints[0] == values;
    };
    const auto setup = [&](FakeCreate& create) {
      create.Out("table_handle", OPSRUN_DT_RESOURCE).attrs.String("container", "").String("shared_name", shared_name);
    };
    Node table(host_, "HashTable", node, setup, takes);
    FakeCall call(host_);
    told_ = table.refusal().empty() ? table.Run(call.Out(OPSRUN_DT_RESOURCE)) : table.refusal();
    FakeTensor* handle = host_.NewFrameTensor(OPSRUN_DT_RESOURCE);
    if (told_ == "ok") handle->CopyFrom(Of(call.Output(0)));
    return handle;
  }

  std::string Insert(FakeCall& call, int32_t keys, int32_t values) {
    Node node(host_, "LookupTableInsert", "insert", [&](FakeCreate& create) {
      create.In("table_handle", OPSRUN_DT_RESOURCE).In("keys", keys).In("values", values);
    });
    return node.Run(call);
  }
  std::string Find(FakeCall& call, int32_t keys, int32_t values) {
    Node node(host_, "LookupTableFind", "find", [&](FakeCreate& create) {
      create.In("table_handle", OPSRUN_DT_RESOURCE).In("keys", keys).In("default_value", values).Out("values", values);
    });
    return node.Run(call.Out(values));
  }
  std::string Export(FakeCall& call, int32_t keys, int32_t values) {
    Node node(host_, "LookupTableExport", "export", [&](FakeCreate& create) {
      create.In("table_handle", OPSRUN_DT_RESOURCE).Out("keys", keys).Out("values", values);
    });
    return node.Run(call.Out(keys).Out(values));
  }
  // -1: it failed.
  int64_t Size(FakeTensor* table) {
    FakeCall call(host_);
    Node node(host_, "LookupTableSize", "size",
              [&](FakeCreate& create) { create.In("table_handle", OPSRUN_DT_RESOURCE).Out("size", OPSRUN_DT_INT64); });
    told_ = node.Run(call.In(table).Out(OPSRUN_DT_INT64));
    return told_ == "ok" ? call.Values<int64_t>(0)[0] : -1;
  }

  // The outputs' shapes, or the sentence that says why not.
  std::string Infer(const std::string& op, FakeShapeCall& call) {
    const opsrun_plugin* plugin = opsrun_plugin_v1(host_.table());
    for (uint32_t i = 0; i < plugin->n_ops; ++i) {
      const opsrun_op& found = *plugin->ops[i];
      if (opsrun_test::Text(found.name) != op) continue;
      return found.shape(found.shape_ctx, call.handle()) == OPSRUN_OK ? call.Outputs() : Told(call.failure());
    }
    return "no such op";
  }
  std::string Infer(const std::string& op, const std::string& shapes, const Strings& inputs, uint32_t outputs) {
    FakeShapeCall call(host_, shapes, outputs);
    for (const std::string& input : inputs) call.InArg(input, 1);
    return Infer(op, call);
  }

  static const FakeTensor& Of(const opsrun_tensor* view) {
    return *reinterpret_cast<const FakeTensor*>(view);  // its first member
  }

  std::string told_;
  FakeHost host_;
};

}  // namespace hash_table_test
