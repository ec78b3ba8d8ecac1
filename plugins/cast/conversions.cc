// plugins/cast/conversions.cc
// SPDX-License-Identifier: Apache-2.0
#include "conversions.h"

#include "cast_op.h"

namespace cast {
namespace {

using namespace opsrun;

template <typename W>
W* NumbersOf(Piece* piece) {
  if constexpr (std::is_same_v<W, int64_t>) return piece->ints;
  if constexpr (std::is_same_v<W, uint64_t>) return piece->naturals;
  if constexpr (!std::is_integral_v<W>) return reinterpret_cast<W*>(piece->reals);
}

template <typename T>
void LoadAs(const void* from, int64_t count, Piece* piece) {
  auto* const numbers = NumbersOf<Wide<T>>(piece);
  for (int64_t i = 0; i < count; ++i) numbers[i] = static_cast<Wide<T>>(static_cast<const T*>(from)[i]);
}

template <typename T, typename W>
void StoreAs(const Piece& piece, int64_t count, int keep, void* to) {
  const W* const numbers = NumbersOf<W>(const_cast<Piece*>(&piece));
  T* const out = static_cast<T*>(to);
  if constexpr (!std::is_integral_v<W> && !std::is_integral_v<T>) {
    if (keep < kAllFractionBits) {
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (kIsComplex<W>) {
          out[i] = Convert<T>(W(Truncated(numbers[i].real(), keep), Truncated(numbers[i].imag(), keep)));
        } else {
          out[i] = Convert<T>(Truncated(numbers[i], keep));
        }
      }
      return;
    }
  }
  for (int64_t i = 0; i < count; ++i) out[i] = Convert<T>(numbers[i]);
}

template <typename W>
Store StoreOf(DataType to) {
  switch (to) {
#define STORE_CASE(T)            \
  case DataTypeToEnum<T>::value: \
    return StoreAs<T, W>;
    CAST_CALL_TYPES(STORE_CASE)
#undef STORE_CASE
    default:
      return nullptr;
  }
}

DataType StoredAs(DataType type) {
  switch (type) {
    case DT_QINT8:
      return DT_INT8;
    case DT_QUINT8:
      return DT_UINT8;
    case DT_QINT16:
      return DT_INT16;
    case DT_QUINT16:
      return DT_UINT16;
    case DT_QINT32:
      return DT_INT32;
    default:
      return type;
  }
}

}  // namespace

Conversion ConversionOf(DataType from, DataType to) {
  to = StoredAs(to);
  switch (StoredAs(from)) {
#define LOAD_CASE(T)             \
  case DataTypeToEnum<T>::value: \
    return {LoadAs<T>, StoreOf<Wide<T>>(to)};
    CAST_CALL_TYPES(LOAD_CASE)
#undef LOAD_CASE
    default:
      return {};
  }
}

int FractionBits(DataType type) {
  switch (type) {
    case DT_FLOAT8_E5M2:
    case DT_FLOAT8_E5M2FNUZ:
      return 2;
    case DT_FLOAT8_E4M3FN:
    case DT_FLOAT8_E4M3FNUZ:
    case DT_FLOAT8_E4M3B11FNUZ:
      return 3;
    case DT_BFLOAT16:
      return 7;
    case DT_HALF:
      return 10;
    case DT_FLOAT:
    case DT_COMPLEX64:
      return 23;
    default:
      return kAllFractionBits;
  }
}

}  // namespace cast
