// opsrun/tensor_map.h: the maps that flat<T>() and similar methods return: a light map, or Eigen's if Eigen is
// included.
//
// The type is chosen where a kernel uses the map, so Eigen may be included before or after this header. Only a
// non-template function that uses a map between the two includes gets the wrong type. A map does not own its elements
// and is valid as long as its tensor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <array>
#include <type_traits>

#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"

// For sources that use Eigen's expressions without including Eigen.
#ifdef OPSRUN_EIGEN
#include <unsupported/Eigen/CXX11/Tensor>
#endif

// Inlined even at -O0, so that no symbol depends on whether a translation unit includes Eigen.
#define OPSRUN_ALWAYS_INLINE __attribute__((always_inline)) inline

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Element access to dense, row-major memory of rank N.
template <typename T, int N>
class LightMap {
 public:
  typedef std::remove_const_t<T> Scalar;
  typedef ptrdiff_t Index;
  static constexpr int NumDimensions = N;

  LightMap(T* data, const std::array<Index, N>& dimensions) : data_(data), dimensions_(dimensions) {}
  template <typename... Sizes, typename = std::enable_if_t<sizeof...(Sizes) == N && (std::is_integral_v<Sizes> && ...)>>
  LightMap(T* data, Sizes... sizes) : data_(data), dimensions_{static_cast<Index>(sizes)...} {}
  LightMap(const LightMap&) = default;
  // A map of T converts to a map of const T.
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  LightMap(const LightMap<U, N>& other) : data_(other.data()), dimensions_(other.dimensions()) {}

  // Assignment copies elements, as in Eigen. Requires: equal dimensions.
  LightMap& operator=(const LightMap& other) { return Copy(other.data()); }
  template <typename U>
  LightMap& operator=(const LightMap<U, N>& other) {
    return Copy(other.data());
  }

  T* data() const { return data_; }
  Index size() const {
    Index n = 1;
    for (int i = 0; i < N; ++i) n *= dimensions_[i];
    return n;
  }
  static constexpr int rank() { return N; }
  Index dimension(int i) const { return dimensions_[i]; }
  const std::array<Index, N>& dimensions() const { return dimensions_; }

  template <typename... Indices>
  T& operator()(Indices... indices) const {
    static_assert(sizeof...(Indices) == N, "a tensor map takes one index per dimension");
    Index at = 0;
    [[maybe_unused]] int i = 0;
    ((at = at * dimensions_[i++] + static_cast<Index>(indices)), ...);
    return data_[at];
  }

  LightMap& setZero() { return setConstant(Scalar()); }
  LightMap& setConstant(const Scalar& value) {
    for (Index i = 0, n = size(); i < n; ++i) data_[i] = value;
    return *this;
  }

  template <typename Device>
  LightMap& device(const Device&) {
    static_assert(!std::is_same_v<Device, Device>,
                  "this tensor expression needs Eigen: #include <unsupported/Eigen/CXX11/Tensor>, "
                  "or put the SDK's flags before your Eigen's");
    return *this;
  }

 private:
  template <typename U>
  LightMap& Copy(const U* from) {
    for (Index i = 0, n = size(); i < n; ++i) data_[i] = from[i];
    return *this;
  }

  T* data_;
  std::array<Index, N> dimensions_;
};

// The type of a map of rank N with elements of type T. eigen_is_in.h has the partial specialization for Eigen.
template <typename T, int N, typename = void>
struct MapOf {
  typedef LightMap<T, N> type;
  static OPSRUN_ALWAYS_INLINE type Make(T* data, const std::array<ptrdiff_t, N>& dimensions) {
    return {data, dimensions};
  }
};

// MapSizes are the sizes of a map of rank N on a tensor; where there are none, a failure explains why.
template <size_t N>
using MapSizes = std::array<ptrdiff_t, N>;

inline int64 ElementsOf(const opsrun_tensor& t) {
  return TensorShape::NumElements(t.shape, t.rank);
}

[[noreturn]] OPSRUN_COLD inline void FailType(const opsrun_tensor& t, DataType asked) {
  Fail(Error(error::INVALID_ARGUMENT, "The kernel asks for %s elements of a tensor of %s", DataTypeName(asked).c_str(),
             DataTypeName(static_cast<DataType>(t.dtype)).c_str())
           .Blame("plugin"));
}

// Whether one is the unsigned version of the other.
OPSRUN_COLD inline bool DifferInSign(DataType a, DataType b) {
  constexpr DataType kPairs[][2] = {
      {DT_INT8, DT_UINT8}, {DT_INT16, DT_UINT16}, {DT_INT32, DT_UINT32}, {DT_INT64, DT_UINT64}};
  for (const auto& pair : kPairs) {
    if ((a == pair[0] && b == pair[1]) || (a == pair[1] && b == pair[0])) return true;
  }
  return false;
}

[[noreturn]] OPSRUN_COLD inline void FailShape(const opsrun_tensor& t, const std::string& asked) {
  Fail(Error(error::INVALID_ARGUMENT, "The kernel asks for %s of a tensor of shape %s", asked.c_str(),
             DimsString(t.shape, t.rank).c_str()));
}

// The sizes of the tensor, whose rank must be N.
template <size_t N>
MapSizes<N> OwnSizes(const opsrun_tensor& t) {
  if (TF_PREDICT_FALSE(t.rank != static_cast<int32_t>(N)))
    FailShape(t, Format("a map of rank %d", static_cast<int>(N)));
  MapSizes<N> sizes{};
  for (size_t i = 0; i < N; ++i) sizes[i] = t.shape[i];
  return sizes;
}

// No sizes. The tensor must have exactly one element.
inline MapSizes<0> ScalarSizes(const opsrun_tensor& t) {
  if (TF_PREDICT_FALSE(ElementsOf(t) != 1)) FailShape(t, "a scalar");
  return {};
}

// The sizes of `shape`, which must have rank N and as many elements as the tensor.
template <size_t N>
MapSizes<N> SizesOf(const opsrun_tensor& t, const TensorShape& shape) {
  if (TF_PREDICT_FALSE(shape.dims() != static_cast<int>(N) || shape.num_elements() != ElementsOf(t))) {
    FailShape(t, Format("a map of rank %d and shape %s", static_cast<int>(N), shape.DebugString().c_str()));
  }
  MapSizes<N> sizes{};
  for (size_t i = 0; i < N; ++i) sizes[i] = static_cast<ptrdiff_t>(shape.data()[i]);
  return sizes;
}

// The last N - 1 sizes, preceded by the product of the others. If the rank is below N, ones are added in front.
template <size_t N>
MapSizes<N> FoldLeading(const opsrun_tensor& t) {
  MapSizes<N> sizes;
  sizes.fill(1);
  const int rank = t.rank, shift = rank - static_cast<int>(N);
  for (int i = 0; i < rank; ++i) sizes[static_cast<size_t>(i < shift ? 0 : i - shift)] *= t.shape[i];
  return sizes;
}

// The first N - 1 sizes, followed by the product of the others. If the rank is below N, ones are added at the end.
template <size_t N>
MapSizes<N> FoldTrailing(const opsrun_tensor& t) {
  MapSizes<N> sizes;
  sizes.fill(1);
  for (int i = 0; i < t.rank; ++i) sizes[i < static_cast<int>(N) ? static_cast<size_t>(i) : N - 1] *= t.shape[i];
  return sizes;
}

// The N sizes from dimension `begin` on, the first multiplied by those before, the last by those after. Dimensions that
// do not exist count as 1.
template <size_t N>
MapSizes<N> FoldAround(const opsrun_tensor& t, int64 begin) {
  MapSizes<N> sizes;
  sizes.fill(1);
  for (int i = 0; i < t.rank; ++i) {
    const int64 at = i - begin;
    sizes[at < 0 ? 0 : at < static_cast<int64>(N) ? static_cast<size_t>(at) : N - 1] *= t.shape[i];
  }
  return sizes;
}

}  // namespace internal

// Names of map types, for functions that take maps.
template <typename T, int N = 1, typename Index = ptrdiff_t>
struct TTypes {
  typedef typename internal::MapOf<T, N>::type Tensor;
  typedef typename internal::MapOf<const T, N>::type ConstTensor;
  typedef Tensor UnalignedTensor;
  typedef ConstTensor UnalignedConstTensor;
  typedef typename internal::MapOf<T, 0>::type Scalar;
  typedef typename internal::MapOf<const T, 0>::type ConstScalar;
  typedef typename internal::MapOf<T, 1>::type Flat;
  typedef typename internal::MapOf<const T, 1>::type ConstFlat;
  typedef Flat Vec;
  typedef ConstFlat ConstVec;
  typedef Flat UnalignedFlat;
  typedef ConstFlat UnalignedConstFlat;
  typedef typename internal::MapOf<T, 2>::type Matrix;
  typedef typename internal::MapOf<const T, 2>::type ConstMatrix;
  // The maps assume no alignment, so these are the same types.
  typedef Scalar UnalignedScalar;
  typedef ConstScalar UnalignedConstScalar;
  typedef Vec UnalignedVec;
  typedef ConstVec UnalignedConstVec;
  typedef Matrix UnalignedMatrix;
  typedef ConstMatrix UnalignedConstMatrix;
};

}  // namespace OPSRUN_HIDDEN

#ifdef OPSRUN_EIGEN_IS_IN
#include "opsrun/internal/eigen_is_in.h"
#endif
