// plugins/math_ops/isa_simple_loops.cc: the loops of isa_simple_loops.h for one instruction set.
// SPDX-License-Identifier: Apache-2.0
#include "isa_simple_loops.h"

namespace math_ops {
namespace {

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

}  // namespace

extern const SimpleLoops kSimpleLoops;
const SimpleLoops kSimpleLoops = {&FindInList<UnaryLoops>, &FindInList<BinaryLoops>, &FindInList<FoldLoopsFor>};

}  // namespace math_ops
