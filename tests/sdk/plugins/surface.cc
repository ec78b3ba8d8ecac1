// tests/sdk/plugins/surface.cc: ops on recordings: one of each form of registration, shape function and kernel.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

// A shape function as a lambda, before the kernels' header is included.
REGISTER_OP("Decimate")
    .Input("signal: T")
    .Output("thinned: T")
    .Attr("step: int")
    .Attr("phase: int = 0")
    .Attr("T: {int32, double, float}")
    .Doc(R"doc(
Takes every `step`-th sample of a recording, from the sample `phase` on.

signal: The samples, in order.
phase: Counts from 0.
)doc")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      ::tensorflow::shape_inference::ShapeHandle signal;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &signal));
      int64 step, phase;
      TF_RETURN_IF_ERROR(c->GetAttr("step", &step));
      TF_RETURN_IF_ERROR(c->GetAttr("phase", &phase));
      if (step == 1 && phase == 0) {
        c->set_output(0, signal);
      } else if (!c->ValueKnown(c->Dim(signal, 0))) {
        c->set_output(0, c->UnknownShapeOfRank(1));
      } else {
        const int64 rest = c->Value(c->Dim(signal, 0)) - phase;
        c->set_output(0, c->Vector(rest > 0 && step > 0 ? (rest - 1) / step + 1 : 0));
      }
      return Status::OK();
    });

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op_kernel.h"

using namespace tensorflow;

REGISTER_OP("HannWindow").Input("frame: float").Output("faded: float").SetShapeFn(::tensorflow::shape_inference::UnchangedShape);

// The minimum, the three quartiles and the maximum of each row.
REGISTER_OP("FiveNumbers")
.SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
    c->set_output(0, c->Matrix(c->Dim(c->input(0), 0), 5));
    return Status::OK();
})
    .Input("samples: float")
    .Output("summary: float");

// All tracks have the same length and the same number of channels.
REGISTER_OP("MixTracks")
    .Input("tracks: Tracks * int32")
    .Output("mix: int32")
    .Attr("Tracks: int >= 2")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      const size_t tracks = static_cast<size_t>(c->num_inputs());
      ::tensorflow::shape_inference::ShapeHandle mix;
      for (size_t track = 0; track < tracks; ++track) {
        ::tensorflow::shape_inference::ShapeHandle shape;
        TF_RETURN_IF_ERROR(c->WithRank(c->input(track), 2, &shape));
        TF_RETURN_IF_ERROR(c->Merge(mix, shape, &mix));
      }
      c->set_output(0, mix);
      return Status::OK();
    });

// Attrs of every kind; no kernel, no shape function.
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

template <typename T>
class DecimateOp : public OpKernel {
 public:
  explicit DecimateOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("step", &step_));
    OP_REQUIRES_OK(construction, construction->GetAttr("phase", &phase_));
    OP_REQUIRES(construction, step_ > 0, errors::InvalidArgument("step must be positive, found ", step_));
    OP_REQUIRES(construction, phase_ >= 0, errors::OutOfRange("no sample ", phase_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& recording = context->input(0);
    OP_REQUIRES(context, TensorShapeUtils::IsVector(recording.shape()),
                errors::InvalidArgument("a recording has one dimension, found ", recording.dims()));
    auto signal = recording.flat<T>();
    OP_REQUIRES(context, phase_ < signal.dimension(0),
                errors::OutOfRange("phase is ", phase_, ", but the recording ends after ", signal.size(), " samples"));
    Tensor* result = NULL;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({(signal.size() - 1 - phase_) / step_ + 1}), &result));
    auto thinned = result->template flat<T>();
    for (int64 i = 0; i < thinned.size(); i++) thinned(i) = signal(phase_ + i * step_);
  }

 private:
  int step_;
  int phase_;
};

#define REGISTER_DECIMATE(sample)                                         \
  REGISTER_KERNEL_BUILDER(                                                \
      Name("Decimate").Device(DEVICE_CPU).TypeConstraint<sample>("T"), \
      DecimateOp<sample>)

REGISTER_DECIMATE(float);
REGISTER_DECIMATE(double);
REGISTER_DECIMATE(int32);

#undef REGISTER_DECIMATE

// Two classes for one op: counts are compared exactly, levels with a tolerance.
REGISTER_OP("CountPlateaus").Input("series: T").Output("plateaus: int64").Attr("T: {int32, float}");

class CountEqualNeighbors : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    auto series = context->input(0).vec<int32>();
    Tensor* plateaus = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output("plateaus", TensorShape({}), &plateaus));
    auto count = plateaus->scalar<int64>();
    count() = 0;
    for (int64 i = 1; i < series.size(); ++i) count() += series(i) == series(i - 1);
  }
};

class CountCloseNeighbors : public OpKernel {
 public:
  explicit CountCloseNeighbors(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    auto series = context->input(0).vec<float>();
    Tensor* plateaus = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &plateaus));
    int64 count = 0;
    for (int64 i = 1; i < series.size(); ++i) {
      const float rise = series(i) - series(i - 1);
      if (rise < 0.01F && rise > -0.01F) ++count;
    }
    plateaus->scalar<int64>()() = count;
  }
};

REGISTER_KERNEL_BUILDER(Name("CountPlateaus").Device(DEVICE_CPU).TypeConstraint<int32>("T"), CountEqualNeighbors);
REGISTER_KERNEL_BUILDER(Name("CountPlateaus").Device(DEVICE_CPU).TypeConstraint<float>("T"), CountCloseNeighbors)
