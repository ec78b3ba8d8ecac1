// opsrun/fuse.h: kernels that compute several nodes in one call, such as a convolution and the activation after it.
//
//   class MyConvOp : public OpKernel {
//     int Fuse(const std::vector<FusedNode>& nodes) override {
//       relu_ = nodes.size() > 1 && nodes[1].op == "Relu";
//       return relu_ ? 2 : 1;
//     }
//
// The nodes are this one and some that follow it, each the only reader of the one before it, all of them on the CPU,
// with kernels of this plugin, known shapes, and outputs of one shape and type. The result is how many of them this
// object computes from now on. Compute then has the inputs of all these nodes in their order, without those that are
// outputs of the others, and its output is that of the last node. All bits must be the same as before. Fuse is called
// at most once, before the first Compute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <type_traits>
#include <vector>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

struct FusedNode {
  std::string_view op;  // the name of its op
  const OpKernel* kernel;
  std::vector<TensorShape> inputs;  // lists flattened
  int chained;                      // which of them is the output of the node before it; 0 for the first node
};

namespace internal {

inline int32_t FuseNodes(uint32_t n, const opsrun_fused_node* nodes, uint32_t* fused) {
  return Guarded([&] {
           std::vector<FusedNode> all;
           for (const opsrun_fused_node* node = nodes; node != nodes + n; ++node) {
             all.push_back({{node->op.data, node->op.size},
                            static_cast<const OpKernel*>(node->kernel),
                            {},
                            static_cast<int>(node->chained)});
             for (uint32_t i = 0; i < node->n_in; ++i)
               all.back().inputs.emplace_back(node->in[i].dims, node->in[i].rank);
           }
           *fused = static_cast<uint32_t>(static_cast<OpKernel*>(nodes->kernel)->Fuse(all));
           return Status();
         })
      .code();
}

OPSRUN_COLD inline const void* QueryFuse(opsrun_str id) {
  static constexpr opsrun_fuse kFuse = {sizeof(opsrun_fuse), 0, &FuseNodes};
  return std::string_view(id.data, id.size) == OPSRUN_FUSE_1 ? &kFuse : nullptr;
}

// For classes that override Fuse; other plugins do not contain its code.
template <typename Class>
constexpr bool Overrides(int (Class::*)(const std::vector<FusedNode>&)) {
  return !std::is_same_v<Class, OpKernel>;
}
template <typename Kernel, std::enable_if_t<Overrides(&Kernel::Fuse), int> = 0>
decltype(&QueryFuse) QueryOf(int) {
  return &QueryFuse;
}
template <typename Kernel>
decltype(&QueryFuse) QueryOf(...) {
  return nullptr;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
