// plugins/math_ops/isa_simple_loops.h: simple functions and folds whose loops are compiled for several instruction
// sets.
//
// To compile another one, add it to a list; the kernels search the lists. Each entry costs compile time in every set,
// so the lists contain only what newer instructions speed up, for the types that matter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "element_loops.h"
#include "extremes.h"
#include "fold_loops.h"
#include "folds.h"
#include "isa_kernels.h"
#include "simple_functions.h"

namespace math_ops {

// A function or a fold, and the types of elements for which the sets have its loops.
template <typename F, typename ElementTypes>
struct On {};

typedef TypeList<float, double> SetFloats;
typedef TypeList<float, double, int32_t, int64_t> SetNumbers;
typedef Join<SetNumbers, TypeList<uint8_t>> SetNumbersAndBytes;

typedef TypeList<On<Floor, SetFloats>, On<Ceil, SetFloats>, On<Round, SetFloats>, On<IsNan, SetFloats>,
                 On<IsInf, SetFloats>, On<IsFinite, SetFloats>, On<ComplexAbs, Complexes>>
    UnaryInSets;
typedef TypeList<On<Mul, TypeList<int32_t, int64_t>>, On<Div, SetFloats>, On<Less, SetNumbers>,
                 On<LessEqual, SetNumbers>, On<Greater, SetNumbers>, On<GreaterEqual, SetNumbers>,
                 On<Equal, SetNumbers>, On<NotEqual, SetNumbers>, On<Larger, TypeList<int64_t>>,
                 On<Smaller, TypeList<int64_t>>>
    BinaryInSets;
typedef TypeList<On<SumFold, SetNumbersAndBytes>, On<MaxFold, SetNumbersAndBytes>, On<MinFold, SetNumbersAndBytes>,
                 On<ProdFold, TypeList<int32_t, uint8_t>>, On<AllFold, TypeList<uint8_t>>,
                 On<AnyFold, TypeList<uint8_t>>>
    FoldsInSets;

// Each returns the loops of entry i of its list for that type; NULL if the list does not have the type.
struct SimpleLoops {
  UnaryLoop (*unary)(int i, DataType type);
  BinaryLoop (*binary)(int i, DataType type);
  const FoldLoops* (*fold)(int i, DataType type);
};

template <template <typename> class Loops>
struct ListOf;
template <>
struct ListOf<UnaryLoops> {
  typedef UnaryInSets List;
  static constexpr auto kFind = &SimpleLoops::unary;
};
template <>
struct ListOf<BinaryLoops> {
  typedef BinaryInSets List;
  static constexpr auto kFind = &SimpleLoops::binary;
};
template <>
struct ListOf<FoldLoopsFor> {
  typedef FoldsInSets List;
  static constexpr auto kFind = &SimpleLoops::fold;
};

// The index of F in the list, or -1.
template <typename F, typename... Fs, typename... ElementTypes>
constexpr int IndexIn(TypeList<On<Fs, ElementTypes>...>) {
  int index = 0;
  bool found = false;
  ((found = found || std::is_same_v<F, Fs>, index += found ? 0 : 1), ...);
  return found ? index : -1;
}

// The loops of F for that type, from a set if it has them. Requires: `types` contains the type.
template <template <typename> class Loops, typename F, typename Types>
auto FastestLoop(DataType type, Types types) {
  constexpr int kIndex = IndexIn<F>(typename ListOf<Loops>::List());
  if constexpr (kIndex >= 0) {
    const auto find = ListOf<Loops>::kFind;
    const auto loop = BestKernels() == nullptr ? nullptr : (BestKernels()->simple->*find)(kIndex, type);
    if (loop != nullptr) return loop;
  }
  return LoopFor<Loops<F>>(type, types);
}

}  // namespace math_ops
