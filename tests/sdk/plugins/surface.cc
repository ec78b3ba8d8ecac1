// tests/sdk/plugins/surface.cc: specs of every form. They are never run; the sources in compat/tests/ported are.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

// Sources bring copies of these, which only bounds_check.h has.
namespace tensorflow {
template <typename Index, typename Limit>
bool FastBoundsCheck(const Index index, const Limit limit) {
  return index >= 0 && index < limit;
}
namespace internal {
template <typename T>
const T SubtleMustCopy(const T& x) {
  return *reinterpret_cast<const volatile T*>(&x);
}
}  // namespace internal
}  // namespace tensorflow

using namespace tensorflow;

static_assert(sizeof(FastBoundsCheck(internal::SubtleMustCopy(1), 2)) == 1);

// A shape function as a lambda, first, and without the kernels' header: the minimum, the three quartiles and the maximum
// of each row.
REGISTER_OP("FiveNumbers")
.SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
    c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), 5));
    return Status::OK();
})
    .Input("samples: float")
    .Output("summary: float")
    .Doc(R"doc(
Sums up each row.

samples: In any order.
)doc");

// Attrs of every kind.
// [attrs]
REGISTER_OP("RenderSpectrum")
    .Attr("window: {'hann', 'blackman', 'kaiser'}")
    .Attr("precision: {half, float, double}")
    .Attr("sample: numbertype")
    .Attr("mask: {realnumbertype, bool}")
    .Attr("columns: list({int64, string}) >= 2")
    .Attr("labels: list(string) >= 1")
    .Attr("overlap: int >= 0 = 128")
    .Attr("unit: string = 'dB'")
    .Attr("floor: float = -96.5")
    .Attr("mirrored: bool = false")
    .Attr("accumulator: type = DT_DOUBLE")
    .Attr("tile: shape = { dim { size: 256 } dim { size: 64 } }")
    .Attr("silence: tensor = { dtype: DT_FLOAT float_val: -60 }")
    .Attr("marks: list(int) = []")
    .Attr("kernel: list(float) = [0.25, 0.5, 0.25]");
// [/attrs]

// Arguments of every kind.
REGISTER_OP("MergeLogs")
    .Input("carrier: complex64")
    .Input("key: Key")
    .Input("fields: Fields")
    .Input("counters: Sources * int64")
    .Input("keys: Sources * Key")
    .Output("fields_by_time: Fields")
    .Output("report: string")
    .Attr("Sources: int")
    .Attr("Fields: list(type)")
    .Attr("Key: type");
