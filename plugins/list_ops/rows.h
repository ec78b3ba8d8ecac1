// plugins/list_ops/rows.h: the loop behind Pack, Unpack and Split, on bytes, independent of data types.
//
// Several parts joined along an axis form a whole. Each row of the whole holds one row of every part, side by side:
//
// row 0 of part 0, row 0 of part 1, ..., row 1 of part 0, row 1 of part 1, ...
//
// The dimensions before the axis count the rows; a row consists of the axis and the dimensions after it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"
#include "opsrun/shape_inference.h"
#include "opsrun/shard.h"
#include "opsrun/tstring.h"

namespace list_ops {

struct Rows {
  int64_t rows = 0;
  int64_t parts = 0;
  int64_t row_bytes = 0;  // of one part

  int64_t bytes() const { return rows * parts * row_bytes; }
};

// Join writes the bytes [begin, end) of the whole; Cut reads them and writes the parts. Calls for disjoint ranges may
// run concurrently. Requires: 0 <= begin <= end <= bytes(); whole and parts do not overlap.
void Join(const Rows& rows, const char* const* parts, char* whole, int64_t begin, int64_t end);
void Cut(const Rows& rows, const char* whole, char* const* parts, int64_t begin, int64_t end);

// Resolves an axis that may count from the end, and computes the rows along it.

// *resolved is in [0, rank). `what` names the tensor of that rank; errors blame `subject`: "attr:axis",
// "input:split_dim".
opsrun::Status ResolveAxis(opsrun::int64 axis, opsrun::int64 rank, const std::string& what, const char* subject,
                           opsrun::int64* resolved);

// The rows of a tensor of shape `whole` joined from, or cut into, equal parts along dimension `axis`. Requires: the
// size of that dimension is a multiple of `parts`, which is not 0.
Rows RowsAlong(const opsrun::TensorShape& whole, opsrun::int64 axis, opsrun::int64 parts, opsrun::int64 element_size);

// A list of inputs that must all have one shape.

// The op's only inputs are the list `name`. *shape is the merged shape of all of them.
opsrun::Status MergeAll(opsrun::shape_inference::InferenceContext* c, const char* name,
                        opsrun::shape_inference::ShapeHandle* shape);

// The same check at run time, for shapes that were unknown before.
opsrun::Status CheckOneShape(opsrun::OpKernelContext* context, const char* name);

// A loop over bytes, on the host's threads where that pays.

// Calls move(begin, end) on disjoint ranges that cover [0, bytes), on several threads if that pays. Ranges begin at
// multiples of 64 KiB.
template <typename Move>
void ForBytes(opsrun::OpKernelContext* context, int64_t bytes, const Move& move) {
  constexpr int64_t kBlock = 64 << 10;
  constexpr int64_t kBytesPerNanosecond = 8;
  if (bytes <= kBlock) return move(int64_t{0}, bytes);
  opsrun::Shard(context, (bytes - 1) / kBlock + 1, kBlock / kBytesPerNanosecond,
                [&](int64_t begin, int64_t end) { move(begin * kBlock, std::min(end * kBlock, bytes)); });
}

// Moves rows on the host's threads.

struct CpuMoves {
  static opsrun::Status Join(opsrun::OpKernelContext* context, const Rows& rows, const std::vector<const char*>& parts,
                             char* whole) {
    ForBytes(context, rows.bytes(),
             [&](int64_t begin, int64_t end) { list_ops::Join(rows, parts.data(), whole, begin, end); });
    return opsrun::Status::OK();
  }
  static opsrun::Status Cut(opsrun::OpKernelContext* context, const Rows& rows, const char* whole,
                            const std::vector<char*>& parts) {
    ForBytes(context, rows.bytes(),
             [&](int64_t begin, int64_t end) { list_ops::Cut(rows, whole, parts.data(), begin, end); });
    return opsrun::Status::OK();
  }
};

// The same for strings. A row's "bytes" are those of its tstring objects.
struct StringMoves {
  static opsrun::Status Join(opsrun::OpKernelContext*, const Rows& rows, const std::vector<const char*>& parts,
                             char* whole) {
    ForRows(rows, parts, [&](const char* part, int64_t in_part, int64_t in_whole) {
      reinterpret_cast<opsrun::tstring*>(whole)[in_whole] = reinterpret_cast<const opsrun::tstring*>(part)[in_part];
    });
    return opsrun::Status::OK();
  }
  static opsrun::Status Cut(opsrun::OpKernelContext*, const Rows& rows, const char* whole,
                            const std::vector<char*>& parts) {
    ForRows(rows, parts, [&](char* part, int64_t in_part, int64_t in_whole) {
      reinterpret_cast<opsrun::tstring*>(part)[in_part] = reinterpret_cast<const opsrun::tstring*>(whole)[in_whole];
    });
    return opsrun::Status::OK();
  }

 private:
  // Calls move(part, index in the part, index in the whole) for each element.
  template <typename Part, typename Move>
  static void ForRows(const Rows& rows, const std::vector<Part>& parts, const Move& move) {
    const int64_t n = rows.row_bytes / static_cast<int64_t>(sizeof(opsrun::tstring));
    int64_t in_whole = 0;
    for (int64_t row = 0; row < rows.rows; ++row) {
      for (const Part part : parts) {
        for (int64_t i = 0; i < n; ++i) move(part, row * n + i, in_whole++);
      }
    }
  }
};

// The kernels of Pack, Unpack and Split, for any device.
//
// Moves: how a device moves rows, such as CpuMoves.

// From the inputs of a Pack with that axis: *axis is the resolved axis, and *shape the shape of the output.
opsrun::Status FindPacked(opsrun::OpKernelContext* context, opsrun::int64* axis, opsrun::TensorShape* shape);
// From the inputs of an Unpack with that axis, or of a Split: the axis along which to cut, and the shape of each part.
opsrun::Status FindUnpacked(opsrun::OpKernelContext* context, opsrun::int64* axis, opsrun::TensorShape* part);
opsrun::Status FindSplit(opsrun::OpKernelContext* context, opsrun::int64* axis, opsrun::TensorShape* part);

// The address of the elements, and the size of one. Strings are moved as objects, not as bytes.
inline opsrun::int64 ElementBytes(opsrun::DataType type) {
  return type == opsrun::DT_STRING ? static_cast<opsrun::int64>(sizeof(opsrun::tstring)) : DataTypeSize(type);
}
inline const char* ElementsOf(const opsrun::Tensor& tensor) {
  if (tensor.dtype() == opsrun::DT_STRING) return reinterpret_cast<const char*>(tensor.flat<opsrun::tstring>().data());
  return static_cast<const char*>(tensor.data());
}
inline char* ElementsOf(opsrun::Tensor* tensor) {
  if (tensor->dtype() == opsrun::DT_STRING) return reinterpret_cast<char*>(tensor->flat<opsrun::tstring>().data());
  return static_cast<char*>(tensor->data());
}

template <typename Moves>
class PackOp : public opsrun::OpKernel {
 public:
  explicit PackOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::int64 axis = axis_;
    opsrun::TensorShape shape;
    OP_REQUIRES_OK(context, FindPacked(context, &axis, &shape));
    opsrun::Tensor* packed = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &packed));
    if (packed->NumElements() == 0) return;
    std::vector<const char*> parts;
    for (int i = 0; i < context->num_inputs(); ++i) {
      parts.push_back(ElementsOf(context->input(i)));
    }
    const Rows rows = RowsAlong(shape, axis, context->num_inputs(), ElementBytes(packed->dtype()));
    OP_REQUIRES_OK(context, Moves::Join(context, rows, parts, ElementsOf(packed)));
  }

 private:
  opsrun::int64 axis_ = 0;
};

// Allocates all outputs with shape `part`, and cuts `value` into them along dimension `axis`.
template <typename Moves>
opsrun::Status CutInto(opsrun::OpKernelContext* context, const opsrun::Tensor& value, opsrun::int64 axis,
                       const opsrun::TensorShape& part) {
  std::vector<char*> parts;
  for (int i = 0; i < context->num_outputs(); ++i) {
    opsrun::Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(context->allocate_output(i, part, &output));
    parts.push_back(ElementsOf(output));
  }
  if (value.NumElements() == 0) return opsrun::Status::OK();
  const Rows rows = RowsAlong(value.shape(), axis, context->num_outputs(), ElementBytes(value.dtype()));
  return Moves::Cut(context, rows, ElementsOf(value), parts);
}

template <typename Moves>
class UnpackOp : public opsrun::OpKernel {
 public:
  explicit UnpackOp(opsrun::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("axis", &axis_));
  }

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::int64 axis = axis_;
    opsrun::TensorShape part;
    OP_REQUIRES_OK(context, FindUnpacked(context, &axis, &part));
    OP_REQUIRES_OK(context, CutInto<Moves>(context, context->input(0), axis, part));
  }

 private:
  opsrun::int64 axis_ = 0;
};

template <typename Moves>
class SplitOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::int64 axis;
    opsrun::TensorShape part;
    OP_REQUIRES_OK(context, FindSplit(context, &axis, &part));
    OP_REQUIRES_OK(context, CutInto<Moves>(context, context->input(1), axis, part));
  }
};

}  // namespace list_ops

// The types of kernels that only move elements.

// m(type) for all types whose elements have a fixed size.
#define LIST_OPS_CALL_FIXED_SIZE_TYPES(m)                                                                         \
  TF_CALL_POD_TYPES(m)                                                                                            \
  TF_CALL_QUANTIZED_TYPES(m)                                                                                      \
  TF_CALL_qint16(m) TF_CALL_quint16(m) TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) \
      TF_CALL_float8_e4m3b11fnuz(m) TF_CALL_float8_e5m2fnuz(m)

namespace list_ops {

// The loop behind AddN.

// The accumulator for a sum of T: integers must wrap, and 16-bit floats should be rounded once.
template <typename T, bool = std::is_integral_v<T>>
struct Sum {
  typedef std::conditional_t<!std::is_arithmetic_v<T> && sizeof(T) == 2, float, T> type;
};
template <typename T>
struct Sum<T, true> {
  typedef std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>> type;
};

// out[i] = terms[0][i] + terms[1][i] + ... for i in [begin, end). A term may share the memory of `out`: each block is
// read from all terms before it is written. Requires: at least one term.
template <typename T>
void AddTerms(const std::vector<const T*>& terms, T* out, int64_t begin, int64_t end) {
  constexpr int64_t kBlock = 1024;
  typename Sum<T>::type sums[kBlock];
  for (; begin < end; begin += kBlock) {
    const int64_t count = std::min(kBlock, end - begin);
    for (int64_t i = 0; i < count; ++i) sums[i] = static_cast<typename Sum<T>::type>(terms[0][begin + i]);
    for (size_t k = 1; k < terms.size(); ++k) {
      for (int64_t i = 0; i < count; ++i) sums[i] += static_cast<typename Sum<T>::type>(terms[k][begin + i]);
    }
    for (int64_t i = 0; i < count; ++i) out[begin + i] = static_cast<T>(sums[i]);
  }
}

}  // namespace list_ops
