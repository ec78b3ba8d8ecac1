// plugins/math_ops/isa_set.cc: matrix products, and the loops of unary_loops_impl.h and simple_loops.h, for one
// instruction set; and its table, the only symbol that its object file exports.
// SPDX-License-Identifier: Apache-2.0
#define MATH_OPS_ISA MATH_OPS_SET
#include "matrix_products.h"
#include "max_pool_vectors.h"
#include "simple_loops.h"
#include "unary_loops_impl.h"

#define MATH_OPS_JOIN(a, b) a##b
#define MATH_OPS_TABLE(set) MATH_OPS_JOIN(math_ops_set_, set)
#define MATH_OPS_TEXT(set) #set
#define MATH_OPS_NAME(set) MATH_OPS_TEXT(set)

namespace math_ops {
namespace {

// Simple functions and folds.

template <template <typename> class Loops, typename... Fs, typename... ElementTypes>
auto Find(int i, DataType type, TypeList<On<Fs, ElementTypes>...>) {
  decltype((LoopFor<Loops<Fs>>(type, ElementTypes()), ...)) found = nullptr;
  ((i-- == 0 ? void(found = LoopFor<Loops<Fs>>(type, ElementTypes())) : void()), ...);
  return found;
}

template <template <typename> class Loops>
auto FindInList(int i, DataType type) {
  return Find<Loops>(i, type, typename ListOf<Loops>::List());
}

constexpr SimpleLoops kSimpleLoops = {&FindInList<UnaryLoops>, &FindInList<BinaryLoops>, &FindInList<FoldLoopsFor>};

}  // namespace
}  // namespace math_ops

extern "C" {
extern const math_ops::Kernels MATH_OPS_TABLE(MATH_OPS_SET);
const math_ops::Kernels MATH_OPS_TABLE(MATH_OPS_SET) = {
    MATH_OPS_NAME(MATH_OPS_SET),
    {math_ops::MultiplyMatrices<float>, math_ops::MultiplyMatrices<double>, math_ops::MultiplyMatrices<uint32_t>,
     math_ops::MultiplyMatrices<uint64_t>},
    {math_ops::CopyPanels<float>, math_ops::CopyPanels<double>, math_ops::CopyPanels<uint32_t>,
     math_ops::CopyPanels<uint64_t>},
    {math_ops::AddWindowsToPanel<float>, math_ops::AddWindowsToPanel<double>, math_ops::AddWindowsToPanel<uint32_t>},
    math_ops::kVectorBytes,
    math_ops::kVectorBytes* math_ops::kPanelVectors,
    math_ops::kRowsAtOnce,
    {math_ops::MaxPoolRowOfVectors<float>, math_ops::MaxPoolRowOfVectors<double>},
    &math_ops::MATH_OPS_SET::kLoops,
    &math_ops::kSimpleLoops,
};
}
