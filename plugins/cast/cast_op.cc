// plugins/cast/cast_op.cc: Cast, a tensor as another data type.
// SPDX-License-Identifier: Apache-2.0
#include "cast_op.h"

#include <algorithm>

#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/shard.h"

OPSRUN_PLUGIN("cast", "0.1.0");

namespace cast {
namespace {

using namespace opsrun;

class CpuCaster {
 public:
  static CpuCaster Make(DataType from, DataType to, int keep) {
    CpuCaster caster;
    caster.conversion_ = ConversionOf(from, to);
    caster.from_bytes_ = DataTypeSize(from);
    caster.to_bytes_ = DataTypeSize(to);
    caster.keep_ = keep;
    return caster;
  }

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
    Piece piece;
    for (int64 i = begin; i < end; i += kPiece) {
      const int64 count = std::min(kPiece, static_cast<int64_t>(end - i));
      conversion_.load(in + i * from_bytes_, count, &piece);
      conversion_.store(piece, count, keep_, out + i * to_bytes_);
    }
  }

  Conversion conversion_;
  int64 from_bytes_ = 0, to_bytes_ = 0;
  int keep_ = kAllFractionBits;
};

REGISTER_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
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

#define CAST_NAME_TYPE(T) DataTypeToEnum<T>::value,
REGISTER_KERNEL_BUILDER(Name("Cast")
                            .Device(DEVICE_CPU)
                            .TypeConstraint("SrcT",
                                            {CAST_CALL_TYPES(CAST_NAME_TYPE) CAST_CALL_QUANTIZED(CAST_NAME_TYPE)})
                            .TypeConstraint("DstT",
                                            {CAST_CALL_TYPES(CAST_NAME_TYPE) CAST_CALL_QUANTIZED(CAST_NAME_TYPE)}),
                        CastOp<CpuCaster>);
#undef CAST_NAME_TYPE

}  // namespace
}  // namespace cast
