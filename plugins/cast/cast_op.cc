// plugins/cast/cast_op.cc: Cast, a tensor as another data type.
// SPDX-License-Identifier: Apache-2.0
#include "cast_op.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>

#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/shard.h"

OPSRUN_PLUGIN("cast", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Conversions between data types");

namespace cast {
namespace {

// A piece of an array in one of the wide types, between the two halves of a conversion.
constexpr int64_t kPiece = 256;
struct Piece {
  alignas(std::complex<double>) unsigned char bytes[kPiece * sizeof(std::complex<double>)];
};

// Converts `count` numbers, at most kPiece.
using Load = void (*)(const void* from, int64_t count, Piece* piece);
using Store = void (*)(const Piece& piece, int64_t count, int keep, void* to);
// Both at once, of any number of them.
using CastAll = void (*)(const void* from, int64_t count, void* to);

template <typename T>
void LoadAs(const void* from, int64_t count, Piece* piece) {
  auto* const numbers = reinterpret_cast<Wide<T>*>(piece->bytes);
  for (int64_t i = 0; i < count; ++i) numbers[i] = static_cast<Wide<T>>(static_cast<const T*>(from)[i]);
}

template <typename T, typename W>
void StoreAs(const Piece& piece, int64_t count, int keep, void* to) {
  const W* const numbers = reinterpret_cast<const W*>(piece.bytes);
  T* const out = static_cast<T*>(to);
  if constexpr (!std::is_integral_v<W> && !std::is_integral_v<T>) {
    if (keep < kAllFractionBits) {
      for (int64_t i = 0; i < count; ++i) out[i] = Convert<T>(Truncated(numbers[i], keep));
      return;
    }
  }
  for (int64_t i = 0; i < count; ++i) out[i] = Convert<T>(numbers[i]);
}

template <typename W>
Store StoreOf(DataType to) {
#define STORE_AS(T) \
  if (to == DataTypeToEnum<T>::value) return StoreAs<T, W>;
  CAST_CALL_TYPES(STORE_AS)
#undef STORE_AS
  return nullptr;
}

// Between frequent types, in one loop, which becomes one of vectors.
template <typename From, typename To>
inline __attribute__((always_inline)) void CastLoop(const void* from, int64_t count, void* to) {
  const From* const in = static_cast<const From*>(from);
  To* const out = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) out[i] = Convert<To>(in[i]);
}

template <typename From, typename To>
void CastEach(const void* from, int64_t count, void* to) {
  CastLoop<From, To>(from, count, to);
}

#if defined(__x86_64__)
// As ToInteger<int32>. The instruction returns the least number for all that do not fit, and for NaN.
__attribute__((target("avx2"))) inline int64_t CastToInt32(const float* in, int64_t count, int32* out) {
  constexpr int64_t kLanes = 8;
  const __m256 above = _mm256_set1_ps(0x1p31f);
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const __m256 x = _mm256_loadu_ps(in + i);
    const __m256 largest = _mm256_cmp_ps(x, above, _CMP_GE_OQ), number = _mm256_cmp_ps(x, x, _CMP_ORD_Q);
    const __m256i limited = _mm256_xor_si256(_mm256_cvttps_epi32(x), _mm256_castps_si256(largest));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_and_si256(limited, _mm256_castps_si256(number)));
  }
  return i;
}

template <typename From, typename To>
__attribute__((target("avx2"))) void CastEachWithAvx2(const void* from, int64_t count, void* to) {
  int64_t done = 0;
  if constexpr (std::is_same_v<From, float> && std::is_same_v<To, int32>) {
    done = CastToInt32(static_cast<const From*>(from), count, static_cast<To*>(to));
  }
  CastLoop<From, To>(static_cast<const From*>(from) + done, count - done, static_cast<To*>(to) + done);
}
#endif

template <typename From, typename To>
CastAll FastestCast() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return CastEachWithAvx2<From, To>;
#endif
  return CastEach<From, To>;
}

#define CAST_CALL_FREQUENT_TYPES(m) m(float) m(double) m(int32) m(int64) m(uint8)

template <typename From>
CastAll CastTo(DataType to) {
#define CAST_TO(T) \
  if (to == DataTypeToEnum<T>::value) return FastestCast<From, T>();
  CAST_CALL_FREQUENT_TYPES(CAST_TO)
#undef CAST_TO
  return nullptr;
}

// Null for other types.
CastAll CastOf(DataType from, DataType to) {
#define CAST_FROM(T) \
  if (from == DataTypeToEnum<T>::value) return CastTo<T>(to);
  CAST_CALL_FREQUENT_TYPES(CAST_FROM)
#undef CAST_FROM
  return nullptr;
}

DataType StoredAs(DataType type) {
  if (type == DT_QINT8) return DT_INT8;
  if (type == DT_QUINT8) return DT_UINT8;
  if (type == DT_QINT16) return DT_INT16;
  if (type == DT_QUINT16) return DT_UINT16;
  return type == DT_QINT32 ? DT_INT32 : type;
}

struct Conversion {
  Load load = nullptr;
  Store store = nullptr;
};

Conversion ConversionOf(DataType from, DataType to) {
  from = StoredAs(from);
  to = StoredAs(to);
#define LOAD_AS(T) \
  if (from == DataTypeToEnum<T>::value) return {LoadAs<T>, StoreOf<Wide<T>>(to)};
  CAST_CALL_TYPES(LOAD_AS)
#undef LOAD_AS
  return {};
}

class CpuCaster {
 public:
  CpuCaster() = default;
  CpuCaster(DataType from, DataType to, int keep)
      : conversion_(ConversionOf(from, to)),
        all_(keep == kAllFractionBits ? CastOf(from, to) : nullptr),
        from_bytes_(DataTypeSize(from)),
        to_bytes_(DataTypeSize(to)),
        keep_(keep) {}

  Status Run(OpKernelContext* context, const Tensor& input, Tensor* output) const {
    const int64 n = input.NumElements();
    const char* const in = input.tensor_data().data();
    char* const out = const_cast<char*>(output->tensor_data().data());
    constexpr int64 kNanosecondsEach = 2;
    Shard(context, (n + kPiece - 1) / kPiece, kPiece * kNanosecondsEach,
          [&](int64 begin, int64 end) { RunPart(in, out, begin * kPiece, std::min(end * kPiece, n)); });
    return Status::OK();
  }

 private:
  void RunPart(const char* in, char* out, int64 begin, int64 end) const {
    if (all_ != nullptr) return all_(in + begin * from_bytes_, end - begin, out + begin * to_bytes_);
    Piece piece;
    for (int64 i = begin; i < end; i += kPiece) {
      const int64 count = std::min(kPiece, static_cast<int64_t>(end - i));
      conversion_.load(in + i * from_bytes_, count, &piece);
      conversion_.store(piece, count, keep_, out + i * to_bytes_);
    }
  }

  Conversion conversion_;
  CastAll all_ = nullptr;
  int64 from_bytes_ = 0, to_bytes_ = 0;
  int keep_ = kAllFractionBits;
};

REGISTER_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .Broadcasts("()->()")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      shape_inference::PassElements(c, 0);
      return Status::OK();
    })
    .Gradient(R"yaml(
nodes:
  back: {op: Cast, in: grad.y, attrs: {DstT: {attr: SrcT}}}
outputs: {x: back}
)yaml")
    .Doc(R"doc(
Converts numbers to another data type.

Floats are rounded once, to nearest, ties to even. A number that is too large becomes infinity, or NaN in a type that
has no infinity. Floats become integers by dropping the fraction; what lies beyond the range becomes the nearest integer
of the type, and NaN becomes 0. Integers lose the bits that the type does not have. Of a complex number, types that are
not complex get the real part. To bool, every number but 0 is true, and so is NaN. Quantized numbers are the integers
that they are stored as: no scale is applied.

x: Numbers or bools.
y: The same numbers, as far as DstT can hold them.
Truncate: Drops the bits of a float that DstT has no room for, which rounds towards zero. Numbers below the smallest
  normal one of DstT are still rounded to nearest.
)doc");

#define TYPE_OF(T) DataTypeToEnum<T>::value,
constexpr std::initializer_list<DataType> kTypes = {CAST_CALL_TYPES(TYPE_OF) CAST_CALL_QUANTIZED(TYPE_OF)};
REGISTER_KERNEL_BUILDER(
    Name("Cast").Device(DEVICE_CPU).Elementwise().Tiled().TypeConstraint("SrcT", kTypes).TypeConstraint("DstT", kTypes),
    CastOp<CpuCaster>);

}  // namespace

int FractionBits(DataType type) {
  if (type == DT_FLOAT8_E5M2 || type == DT_FLOAT8_E5M2FNUZ) return 2;
  if (type == DT_FLOAT8_E4M3FN || type == DT_FLOAT8_E4M3FNUZ || type == DT_FLOAT8_E4M3B11FNUZ) return 3;
  if (type == DT_BFLOAT16) return 7;
  if (type == DT_HALF) return 10;
  return type == DT_FLOAT || type == DT_COMPLEX64 ? 23 : kAllFractionBits;
}

}  // namespace cast
