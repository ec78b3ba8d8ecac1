// host/cli/conform/handles.h: handles of objects (resources and variants) for ops that take them.
//
// They come from another op of the plugin, which makes such an object from values alone: each ordinary call gets an
// object of its own, in the same state, so that results of calls can be compared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "host/cli/conform/test_host.h"
#include "host/engine/loaded_graph.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// Null handles. Throws std::bad_alloc.
Tensor NullHandles(DType dtype, const Shape& shape);
// Copies handles, with references of its own. Throws std::bad_alloc.
Tensor CopyOfHandles(DType dtype, const Shape& shape, const void* elements);
// A handle of an object that no op of the plugin can know. Throws std::bad_alloc.
Tensor ForeignHandle(Engine& engine, DType dtype);
// Empty if both elements are handles of the same kind; otherwise "a null handle", "a handle of a 'Counter'".
std::string HandleDifference(const Tensor& found, const Tensor& expected, int64_t place);

// Makes objects of one kind, each in the same state: with a node of an op that takes no handle, then some of ops that
// take it and have no outputs.
class HandleMaker {
 public:
  struct Node {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TypedOp> op;
    CallInputs call;    // without a kernel, and without the handle
    size_t handle = 0;  // the input that gets it; not of the first node
  };

  HandleMaker(std::vector<Node> nodes, uint32_t output) : nodes_(std::move(nodes)), output_(output) {}

  // A tensor with the handle, and the kernel objects that may own the object: keep them as long as it is used. The
  // status is that of the call that failed.
  struct Made {
    Tensor handle;
    std::vector<std::shared_ptr<const KernelObject>> kernels;
  };
  Result<Made> Make(TestHost& host) const;

  // Adds these nodes to a graph, in front of its first node, and their feeds. The names begin with the prefix; *handle
  // becomes the reference to the handle.
  void AddTo(Graph& graph, std::map<std::string, Tensor>& feeds, const std::string& prefix, Reference& handle) const;

  std::string Text() const;  // "Counter start = 3, then Add amount int32 [] = 2"

 private:
  const std::vector<Node> nodes_;
  const uint32_t output_;  // of the first node
};

// The call with handles of new objects, which `made` keeps alive.
Result<CallInputs> WithHandles(TestHost& host, const CallInputs& call, std::vector<HandleMaker::Made>& made);

// Makers for the ops of a plugin. The same number and type always give the same one.
class HandleMakers {
 public:
  HandleMakers(const RegisteredOp& op, const LoadedGraph& ops, TestHost& host) : op_(op), ops_(ops), host_(host) {}

  // Null, and the reason, if no op of the plugin makes such handles for attrs of this type.
  std::shared_ptr<const HandleMaker> Find(DType handles, DType type, uint64_t number, std::string* reason);

 private:
  std::shared_ptr<const HandleMaker> Draw(DType handles, DType type, uint64_t number, std::string* reason);
  std::optional<HandleMaker::Node> DrawNodeOf(const RegisteredOp& op, DType type, uint64_t seed, const char* name);

  const RegisteredOp& op_;
  const LoadedGraph& ops_;
  TestHost& host_;
  std::map<std::tuple<DType, DType, uint64_t>, std::shared_ptr<const HandleMaker>> found_;
};

}  // namespace opsrun::host
