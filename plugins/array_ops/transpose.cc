// plugins/array_ops/transpose.cc: Transpose and InvertPermutation.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "indices.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "search_ops.h"
#include "view.h"

namespace array_ops {
namespace {

using namespace shape_inference;

// *inverse[perm[i]] is i. INVALID_ARGUMENT: `perm` does not have each of 0 to n - 1 once.
Status Invert(const std::vector<int64>& perm, const char* name, std::vector<int64>* inverse) {
  const int64 n = static_cast<int64>(perm.size());
  inverse->assign(perm.size(), -1);
  for (size_t i = 0; i < perm.size(); ++i) {
    const int64 place = static_cast<int64>(i);
    if (perm[i] < 0 || perm[i] >= n) return OutsidePermutation(name, place, perm[i], n);
    int64* const at = &(*inverse)[static_cast<size_t>(perm[i])];
    if (*at >= 0) return TwiceInPermutation(name, perm[i], *at, place);
    *at = place;
  }
  return Status::OK();
}

Status CheckPerm(const std::vector<int64>& perm, int64 rank) {
  std::vector<int64> inverse;
  TF_RETURN_IF_ERROR(CheckLength(static_cast<int64>(perm.size()), "perm", rank, "x"));
  return Invert(perm, "perm", &inverse);
}

Status TransposeShape(InferenceContext* c) {
  ShapeHandle x = c->input(0);
  TF_RETURN_IF_ERROR(CheckVector(c, 1, "perm"));
  const int64 length = LengthOf(c, 1);
  TF_RETURN_IF_ERROR(CheckLength(length, "perm", c->Rank(x), "x"));
  if (length >= 0) TF_RETURN_IF_ERROR(c->WithRank(x, length, &x));
  const Tensor* value = c->input_tensor(1);
  if (!c->RankKnown(x) || value == nullptr) return SetUnknownOfRank(c, c->Rank(x));
  const std::vector<int64> perm = Integers(*value);
  TF_RETURN_IF_ERROR(CheckPerm(perm, c->Rank(x)));
  std::vector<DimensionHandle> dims;
  for (const int64 i : perm) dims.push_back(c->Dim(x, i));
  c->set_output(0, c->MakeShape(dims));
  shape_inference::TransposeElements(c, 0, {perm.begin(), perm.end()});
  return Status::OK();
}

Status InvertPermutation(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  std::vector<int64> perm, inverse;
  TF_RETURN_IF_ERROR(ReadVector(x, "x", &perm));
  TF_RETURN_IF_ERROR(Invert(perm, "x", &inverse));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, x.shape(), &output));
  if (x.dtype() == DT_INT32) {
    std::copy(inverse.begin(), inverse.end(), static_cast<int32*>(output->data()));
  } else {
    std::copy(inverse.begin(), inverse.end(), static_cast<int64*>(output->data()));
  }
  return Status::OK();
}

Status InvertShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckVector(c, 0, "x"));
  return shape_inference::UnchangedShapeWithRank(c, 1);
}

REGISTER_OP("Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .SetShapeFn(TransposeShape)
    .Gradient(R"yaml(
nodes:
  inverse: {op: InvertPermutation, in: perm}
  dx: {op: Transpose, in: [grad.y, inverse]}
outputs: {x: dx, perm: null}
)yaml")
    .Doc(R"doc(
Puts the dimensions of a tensor into another order: dimension i of y is dimension perm[i] of x.

x: Any tensor.
perm: A permutation of 0, 1, ..., rank of x - 1.
y: The elements of x, where y[i, j, ...] has the indices of x in the order of perm.
)doc");

REGISTER_OP("InvertPermutation")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .SetShapeFn(InvertShape)
    .NotDifferentiable()
    .Doc(R"doc(
Computes the inverse of a permutation: y[x[i]] is i.

x: A vector with each of 0, 1, ..., n - 1 once.
y: The inverse permutation.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("Transpose"), ViewOp<PlainView<FindTranspose>, CpuMoves>);
REGISTER_KERNEL_BUILDER(Name("InvertPermutation").Device(DEVICE_CPU), FunctionOp<InvertPermutation>);

constexpr int64 kSide = 16;    // side of a square
constexpr int64 kStrip = 128;  // rows of the output that one thread writes at a time

// The view as matrices to transpose. `adjacent` is the dimension that is contiguous in the array, `inner` the one that
// is contiguous in the output; `outer` are the other dimensions, with their strides in both.
struct Layout {
  ViewDim adjacent, inner;
  int64 adjacent_out = 0;
  std::vector<ViewDim> outer;
  std::vector<int64> outer_out;
  int64 num_outer = 1;
};

bool MakeLayout(const View& view, Layout* layout) {
  layout->inner = view.dims.back();
  if (layout->inner.stride == 0 || layout->inner.stride == 1 || layout->inner.stride == -1) return false;
  bool found = false;
  int64 out = layout->inner.size;
  for (size_t i = view.dims.size() - 1; i-- > 0;) {
    const ViewDim dim = view.dims[i];
    if (dim.stride == 1 && dim.size >= 4) {
      found = true;
      layout->adjacent = dim;
      layout->adjacent_out = out;
    } else {
      layout->outer.push_back(dim);
      layout->outer_out.push_back(out);
      layout->num_outer *= dim.size;
    }
    out *= dim.size;
  }
  return found;
}

// A square of 4 x 4 elements of 4 bytes, or 2 x 2 of 8, in registers.
template <typename E>
void TransposeInRegisters(const E* from, int64 from_stride, E* to, int64 to_stride) {
  typedef E Row __attribute__((vector_size(16)));
  constexpr int kRows = 16 / sizeof(E);
  Row in[kRows];
  for (int i = 0; i < kRows; ++i) std::memcpy(&in[i], from + i * from_stride, sizeof(Row));
  const auto store = [&](int i, Row row) { std::memcpy(to + i * to_stride, &row, sizeof(row)); };
  if constexpr (kRows == 2) {
    store(0, __builtin_shufflevector(in[0], in[1], 0, 2));
    store(1, __builtin_shufflevector(in[0], in[1], 1, 3));
  } else {
    const Row a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
              b = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
    const Row c = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
              d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
    store(0, __builtin_shufflevector(a, c, 0, 1, 4, 5));
    store(1, __builtin_shufflevector(a, c, 2, 3, 6, 7));
    store(2, __builtin_shufflevector(b, d, 0, 1, 4, 5));
    store(3, __builtin_shufflevector(b, d, 2, 3, 6, 7));
  }
}

// A square of kSide.
template <typename E>
void TransposeSquare(const E* from, int64 from_stride, E* to, int64 to_stride) {
  constexpr int64 kPart = 16 / sizeof(E);
  for (int64 i = 0; i < kSide; i += kPart) {
    for (int64 k = i; k < i + kPart; ++k) {
      __builtin_prefetch(to + k * to_stride + kSide,
                         1);  // processors foresee what is read here, but not what is written
    }
    for (int64 j = 0; j < kSide; j += kPart) {
      TransposeInRegisters(from + i + j * from_stride, from_stride, to + i * to_stride + j, to_stride);
    }
  }
}

// to[r * to_stride + c] = from[r + c * from_stride] for r < rows, c < columns.
template <typename E>
void Transpose(const E* from, int64 from_stride, E* to, int64 to_stride, int64 rows, int64 columns) {
  for (int64 c = 0; c < columns; c += kSide) {
    const int64 width = std::min(kSide, columns - c);
    for (int64 r = 0; r < rows; r += kSide) {
      const int64 height = std::min(kSide, rows - r);
      if constexpr (std::is_same_v<E, uint32_t> || std::is_same_v<E, uint64_t>) {
        if (width == kSide && height == kSide) {
          TransposeSquare(from + r + c * from_stride, from_stride, to + r * to_stride + c, to_stride);
          continue;
        }
      }
      for (int64 i = 0; i < height; ++i) {
        const E* in = from + r + i + c * from_stride;
        E* out = to + (r + i) * to_stride + c;
        __builtin_prefetch(out + kSide, 1);  // processors foresee what is read here, but not what is written
        for (int64 j = 0; j < width; ++j) out[j] = in[j * from_stride];
      }
    }
  }
}

}  // namespace

Status FindTranspose(OpKernelContext* context, View* view, TensorShape* shape) {
  const Tensor& x = context->input(0);
  std::vector<int64> perm;
  TF_RETURN_IF_ERROR(ReadVector(context->input(1), "perm", &perm));
  TF_RETURN_IF_ERROR(CheckPerm(perm, x.dims()));
  const View whole = WholeView(x.shape());
  for (const int64 i : perm) {
    view->dims.push_back(whole.dims[static_cast<size_t>(i)]);
    shape->AddDim(x.dim_size(static_cast<int>(i)));
  }
  return Status::OK();
}

bool CopyTransposed(OpKernelContext* context, const View& view, const Tensor& array, Tensor* dense) {
  Layout l;
  if (!MakeLayout(view, &l)) return false;
  const int64 strips = (l.adjacent.size - 1) / kStrip + 1;
  VisitElement(array.dtype(), [&](auto element) {
    using E = typename decltype(element)::type;
    const E* from = ElementsOf<E>(array) + view.offset;
    E* to = ElementsOf<E>(dense);
    const int64 bytes = std::min(kStrip, l.adjacent.size) * l.inner.size * kMovedBytes<E>;
    ForIndices(context, l.num_outer * strips, bytes, [&](int64 begin, int64 end) {
      for (; begin < end; ++begin) {
        int64 rest = begin / strips, in = 0, out = 0;
        for (size_t i = 0; i < l.outer.size(); ++i) {
          const int64 index = rest % l.outer[i].size;
          rest /= l.outer[i].size;
          in += index * l.outer[i].stride;
          out += index * l.outer_out[i];
        }
        const int64 first = begin % strips * kStrip, rows = std::min(kStrip, l.adjacent.size - first);
        Transpose(from + in + first, l.inner.stride, to + out + first * l.adjacent_out, l.adjacent_out, rows,
                  l.inner.size);
      }
    });
  });
  return true;
}

}  // namespace array_ops
