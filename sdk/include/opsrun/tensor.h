// opsrun/tensor.h: Tensor, a typed and shaped view of memory that the host owns.
//
// A Tensor is a single pointer to an opsrun_tensor. Copies share the elements if the host can share them. References
// are counted by the host that made the tensor, even if there are several hosts in the process. Inputs and outputs are
// references into the frame of the call, so accessing one costs nothing. A misuse (such as a wrong data type or rank)
// fails the running call, not the process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "opsrun/allocator_attributes.h"
#include "opsrun/c_api.h"
#include "opsrun/internal/own_tensor.h"
#include "opsrun/internal/slot_tensor.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor_map.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class Allocator;

namespace internal {

class OutputSlots;

template <typename T, typename... Types>
constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

template <typename T>
void AppendElement(std::string* out, const void* data, int64 i) {
  if constexpr (kIsOneOf<T, complex64, complex128>) {
    typedef std::conditional_t<std::is_same_v<T, complex64>, float, double> Part;
    const Part* parts = static_cast<const Part*>(data) + 2 * i;
    *out += StrCat("(", parts[0], ",", parts[1], ")");
  } else if constexpr (kIsOneOf<T, qint8, quint8, qint16, quint16, qint32>) {
    *out += StrCat(static_cast<const T*>(data)[i].value);
  } else if constexpr (kIsOneOf<T, ResourceHandle, Variant>) {
    *out += '?';
  } else {
    *out += StrCat(static_cast<const T*>(data)[i]);
  }
}

// Element i of an array of `dtype`; "?" for types that cannot be printed.
OPSRUN_COLD inline void AppendElement(std::string* out, DataType dtype, const void* data, int64 i) {
#define OPSRUN_APPEND(NAME, name, bytes, dl_code, TYPE) \
  case DT_##NAME:                                       \
    return AppendElement<TYPE>(out, data, i);
  switch (dtype) {
    OPSRUN_DATA_TYPES(OPSRUN_APPEND, OPSRUN_NO_TYPE)
    case DT_HALF:
      return AppendElement<Half>(out, data, i);
    case DT_BFLOAT16:
      return AppendElement<BFloat16>(out, data, i);
    default:
      *out += '?';
  }
#undef OPSRUN_APPEND
}

}  // namespace internal

// Defines a method that returns a map of rank `rank`: of T, and of const T for a const Tensor.
#define OPSRUN_LIST(...) __VA_ARGS__
#define OPSRUN_MAP(parameters, signature, rank, make, sizes) \
  template <OPSRUN_LIST parameters>                          \
  OPSRUN_ALWAYS_INLINE Map<T, rank> signature {              \
    return make<T, rank>(sizes);                             \
  }                                                          \
  template <OPSRUN_LIST parameters>                          \
  OPSRUN_ALWAYS_INLINE Map<const T, rank> signature const {  \
    return make<const T, rank>(sizes);                       \
  }

class Tensor {
 public:
  template <typename T, size_t N>
  using Map = typename internal::MapOf<T, static_cast<int>(N)>::type;

  Tensor() = default;
  // A tensor of the plugin's own, in host memory, with undefined elements. If it becomes an output, it is copied;
  // tensors of allocate_output and allocate_temp are not.
  explicit Tensor(DataType type) : Tensor(type, TensorShape({0})) {}
  Tensor(DataType type, const TensorShape& shape) : reference_(MakeOwn(type, shape)) {}
  // A scalar.
  template <typename T, typename = std::enable_if_t<IsValidDataType<T>::value>>
  explicit Tensor(T value) : Tensor(DataTypeToEnum<T>::value, TensorShape({})) {
    scalar<T>()() = std::move(value);
  }
  explicit Tensor(const std::string& text) : Tensor(tstring(text)) {}
  explicit Tensor(const char* text) : Tensor(tstring(text)) {}
  // The plugin allocates the memory; the allocator is ignored.
  Tensor(Allocator* /*allocator*/, DataType type, const TensorShape& shape,
         const AllocationAttributes& /*attributes*/ = {})
      : Tensor(type, shape) {}
  DataType dtype() const { return static_cast<DataType>(view()->dtype); }
  // Valid until this tensor is changed or destroyed.
  const TensorShape& shape() const { return TensorShape::Of(*view()); }
  int dims() const { return view()->rank; }
  int64 dim_size(int i) const {
    if (TF_PREDICT_FALSE(i < 0 || i >= dims())) internal::FailShape(*view(), internal::Format("dimension %d", i));
    return view()->shape[i];
  }
  int64 NumElements() const { return internal::ElementsOf(*view()); }
  bool IsSameSize(const Tensor& other) const { return shape() == other.shape(); }
  // True if a host made this tensor.
  bool IsInitialized() const { return view()->host != nullptr; }

  // In bytes. 0 for strings, resources and variants, whose elements are stored elsewhere.
  size_t TotalBytes() const {
    const opsrun_dldtype element = view()->dl;
    return internal::HasSlots(dtype()) ? 0
                                       : (static_cast<size_t>(NumElements()) * element.bits * element.lanes + 7) / 8;
  }
  size_t AllocatedBytes() const { return TotalBytes(); }
  void* data() const { return view()->data; }
  std::string_view tensor_data() const { return {static_cast<const char*>(data()), TotalBytes()}; }
  bool SharesBufferWith(const Tensor& other) const { return data() != nullptr && data() == other.data(); }

  // Maps of the elements. flat accepts any rank; vec, matrix and tensor<T, N> require their rank; scalar requires one
  // element, with any rank, and accepts T with the other signedness; shaped<T, N> takes a shape with the same number of
  // elements. flat_inner_dims keeps the last N - 1 dimensions and folds the leading ones into one; flat_outer_dims
  // keeps the first N - 1 and folds the trailing ones. A const Tensor returns maps of const T.
  OPSRUN_MAP((typename T), flat(), 1, MakeMap, {internal::ElementsOf(*view())})
  OPSRUN_MAP((typename T), vec(), 1, MakeMap, internal::OwnSizes<1>(*view()))
  OPSRUN_MAP((typename T), matrix(), 2, MakeMap, internal::OwnSizes<2>(*view()))
  OPSRUN_MAP((typename T), scalar(), 0, MakeScalar, internal::ScalarSizes(*view()))
  OPSRUN_MAP((typename T, size_t N), tensor(), N, MakeMap, internal::OwnSizes<N>(*view()))
  OPSRUN_MAP((typename T, size_t N), shaped(const TensorShape& shape), N, MakeMap, internal::SizesOf<N>(*view(), shape))
  OPSRUN_MAP((typename T, size_t N = 2), flat_inner_dims(), N, MakeMap, internal::FoldLeading<N>(*view()))
  OPSRUN_MAP((typename T, size_t N = 2), flat_outer_dims(), N, MakeMap, internal::FoldTrailing<N>(*view()))
  OPSRUN_MAP((typename T), unaligned_flat(), 1, MakeMap, {internal::ElementsOf(*view())})
  OPSRUN_MAP((typename T, size_t N), unaligned_shaped(const TensorShape& shape), N, MakeMap,
             internal::SizesOf<N>(*view(), shape))
  // Keeps N dimensions from `begin` on, and folds those before into the first and those after into the last. Dimensions
  // that the tensor does not have count as 1. `begin` may be negative.
  OPSRUN_MAP((typename T, size_t N), flat_inner_outer_dims(int64 begin), N, MakeMap,
             internal::FoldAround<N>(*view(), begin))
  // Maps of the bytes as elements of another type: of the same size; of any size, with a shape that has as many bytes;
  // and with one element for the whole last dimension. Not for strings, resources and variants.
  OPSRUN_MAP((typename T, size_t N), bit_casted_tensor(), N, CastMap, shape())
  OPSRUN_MAP((typename T, size_t N), bit_casted_shaped(const TensorShape& shape), N, CastMap, shape)
  OPSRUN_MAP((typename T, size_t N), reinterpret_last_dimension(), N, CastMap, ShapeWithoutLast())

  // Makes this tensor another view of the elements of `other`, with that shape. False: the number of elements differs.
  OPSRUN_COLD bool CopyFrom(const Tensor& other, const TensorShape& shape) {
    if (other.NumElements() != shape.num_elements()) return false;
    *this = other.Part(0, shape);
    return true;
  }
  // The same, with elements of another type. INVALID_ARGUMENT: the number of bytes differs, or a type has no fixed
  // size.
  OPSRUN_COLD ReturnedStatus BitcastFrom(const Tensor& other, DataType type, const TensorShape& shape) {
    const bool no_size = DataTypeSize(type) == 0 || internal::HasSlots(other.dtype());
    size_t bytes = 0;
    if (no_size || __builtin_mul_overflow(shape.num_elements(), DataTypeSize(type), &bytes) ||
        bytes != other.TotalBytes()) {
      return errors::InvalidArgument("A tensor of ", DataTypeName(other.dtype()), " ", other.shape(),
                                     " cannot be seen as one of ", DataTypeName(type), " ", shape);
    }
    auto* view = new internal::OwnTensor(other.reference_.Share(), 0, shape.dims(), shape.data());
    view->SetType(type);
    reference_ = internal::TensorReference(view);
    return Status();
  }
  void UnsafeCopyFromInternal(const Tensor& other, DataType type, const TensorShape& shape) {
    internal::FailUnlessOk(BitcastFrom(other, type, shape));
  }
  // Views of the elements [start, limit) along dimension 0, and of element i, which has one dimension less.
  OPSRUN_COLD Tensor Slice(int64 start, int64 limit) const {
    TensorShape part = shape();
    if (dims() == 0 || start < 0 || limit < start || limit > part.dim_size(0)) {
      internal::FailShape(*view(), internal::Format("the slice %lld to %lld", start, limit));
    }
    part.set_dim(0, limit - start);
    return Part(start, part);
  }
  OPSRUN_COLD Tensor SubSlice(int64 i) const {
    Tensor one = Slice(i, i + 1);
    TensorShape part = one.shape();
    part.RemoveDim(0);
    return Part(i, part);
  }
  bool IsAligned() const { return (view()->flags & OPSRUN_TENSOR_ALIGNED64) != 0; }

  // "1 2 3 ..."; for memory that the CPU can read.
  std::string SummarizeValue(int64 max_entries) const {
    if ((view()->flags & OPSRUN_TENSOR_HOST) == 0 && view()->device.type != OPSRUN_DEVICE_CPU) return "on a device";
    std::string text;
    const int64 n = NumElements();
    for (int64 i = 0; i < n && i < max_entries; ++i) {
      if (i > 0) text += ' ';
      internal::AppendElement(&text, dtype(), dtype() == DT_STRING ? Elements<const tstring>() : data(), i);
    }
    return n > max_entries ? text + " ..." : text;
  }
  std::string DebugString(int64 max_entries = 3) const {
    return internal::StrCat("Tensor<type: ", DataTypeName(dtype()), " shape: ", shape().DebugString(),
                            " values: ", SummarizeValue(max_entries), ">");
  }
  std::string DeviceSafeDebugString() const { return DebugString(); }

  // Conversion from and to a TensorProto. Requires #include "tensorflow/core/framework/tensor.pb.h". False: the message
  // is not a valid tensor.
  template <typename Proto>
  bool FromProto(const Proto& proto) {
    return proto.GetTensor(this);
  }
  template <typename Allocator, typename Proto>
  bool FromProto(Allocator* /*allocator*/, const Proto& proto) {
    return proto.GetTensor(this);
  }
  template <typename Proto>
  void AsProtoField(Proto* proto) const {
    proto->SetTensor(*this, false);
  }
  template <typename Proto>
  void AsProtoTensorContent(Proto* proto) const {
    proto->SetTensor(*this, true);
  }

  // The handle of c_api.h, for direct calls of its functions.
  const opsrun_tensor* view() const { return reference_.view(); }
  // Takes a new reference to `view`.
  static Tensor Copy(const opsrun_tensor* view) { return Adopt(internal::TensorReference::Retain(view)); }
  // Takes over the caller's reference to `view`.
  static Tensor Adopt(const opsrun_tensor* view) { return Tensor(Owned(), internal::SlotTensor::Wrap(view)); }

 private:
  friend class internal::OutputSlots;

  struct Owned {};
  Tensor(Owned, const opsrun_tensor* view) : reference_(view) {}

  OPSRUN_COLD static const opsrun_tensor* MakeOwn(DataType type, const TensorShape& shape) {
    if (internal::HasSlots(type)) return new internal::SlotTensor(type, shape.dims(), shape.data());
    if (DataTypeSize(type) > 0) return new internal::OwnTensor(type, shape.dims(), shape.data());
    internal::Fail(errors::InvalidArgument("There are no tensors of type ", DataTypeName(type)));
  }
  // As many elements as the shape has, from index `first` along dimension 0 on.
  OPSRUN_COLD Tensor Part(int64 first, const TensorShape& part) const {
    const int64 rows = dims() == 0 ? 1 : view()->shape[0], row = rows == 0 ? 0 : NumElements() / rows;
    if (internal::HasSlots(dtype())) {
      internal::SlotTensor* const all = internal::SlotsOf(*reference_.Share());
      return Tensor(Owned(), new internal::SlotTensor(all, first * row, part.dims(), part.data()));
    }
    const int64 bytes = first * row * DataTypeSize(dtype());
    return Tensor(Owned(), new internal::OwnTensor(reference_.Share(), bytes, part.dims(), part.data()));
  }

  template <typename T, size_t N, bool kAnySign = false>
  OPSRUN_ALWAYS_INLINE Map<T, N> MakeMap(const internal::MapSizes<N>& sizes) const {
    typedef std::remove_const_t<T> Element;
    static_assert(IsValidDataType<Element>::value, "no tensor holds elements of this type");
    constexpr DataType kAsked = DataTypeToEnum<Element>::value;
    if (TF_PREDICT_FALSE(view()->dtype != kAsked)) {
      if (!kAnySign || !internal::DifferInSign(dtype(), kAsked)) internal::FailType(*view(), kAsked);
    }
    return internal::MapOf<T, static_cast<int>(N)>::Make(Elements<T>(), sizes);
  }
  template <typename T, size_t N>
  OPSRUN_ALWAYS_INLINE Map<T, N> MakeScalar(const internal::MapSizes<N>& sizes) const {
    return MakeMap<T, N, true>(sizes);
  }
  template <typename T, size_t N>
  Map<T, N> CastMap(const TensorShape& shape) const {
    static_assert(!internal::HasSlots(DataTypeToEnum<std::remove_const_t<T>>::value), "these elements have no bytes");
    const size_t bytes = TotalBytes(), elements = static_cast<size_t>(shape.num_elements());
    if (shape.dims() != static_cast<int>(N) || internal::HasSlots(dtype()) || bytes % sizeof(T) != 0 ||
        elements != bytes / sizeof(T)) {
      internal::FailShape(
          *view(), internal::Format("a map of rank %d and shape %s with elements of %d bytes", static_cast<int>(N),
                                    shape.DebugString().c_str(), static_cast<int>(sizeof(T))));
    }
    internal::MapSizes<N> sizes{};
    for (size_t i = 0; i < N; ++i) sizes[i] = static_cast<ptrdiff_t>(shape.data()[i]);
    return internal::MapOf<T, static_cast<int>(N)>::Make(static_cast<T*>(view()->data), sizes);
  }
  TensorShape ShapeWithoutLast() const {
    TensorShape rest = shape();
    rest.RemoveLastDims(1);
    return rest;
  }
  template <typename T>
  OPSRUN_ALWAYS_INLINE T* Elements() const {
    if constexpr (internal::kIsSlot<std::remove_const_t<T>>) {
      return internal::SlotsOf(*view())->Elements(static_cast<T*>(nullptr));
    } else {
      return static_cast<T*>(view()->data);
    }
  }

  internal::TensorReference reference_;
};

#undef OPSRUN_MAP
#undef OPSRUN_LIST

}  // namespace OPSRUN_HIDDEN
