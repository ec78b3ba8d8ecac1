// plugins/math_ops/scan.cc: see scan.h.
// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include <algorithm>

#include "axes.h"
#include "output.h"
#include "scan_loops.h"

namespace math_ops {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

ScanShape::ScanShape(const TensorShape& shape, int axis) : rows(shape.dim_size(axis)) {
  for (int i = 0; i < axis; ++i) matrices *= shape.dim_size(i);
  for (int i = axis + 1; i < shape.dims(); ++i) width *= shape.dim_size(i);
}

ScanKernel::ScanKernel(OpKernelConstruction* context) : OpKernel(context) {
  OP_REQUIRES_OK(context, context->GetAttr("exclusive", &attrs_.exclusive));
  OP_REQUIRES_OK(context, context->GetAttr("reverse", &attrs_.reverse));
}

void ScanKernel::Compute(OpKernelContext* context) {
  const int tensors = context->num_inputs() - 1;
  const TensorShape shape = context->input(0).shape();
  const void* inputs[kMostScanned] = {};
  for (int i = 0; i < tensors; ++i) {
    OP_REQUIRES(context, context->input(i).shape() == shape,
                errors::InvalidArgument("terms must have the shape ", shape.DebugString(),
                                        " of factors, but their shape is ", context->input(i).shape().DebugString())
                    .Blame("input:terms"));
    inputs[i] = context->input(i).data();
  }
  int axis = 0;
  OP_REQUIRES_OK(context, ReadAxis(context->input(tensors), "axis", shape.dims(), &axis));
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context,
                 tensors == 1 ? MakeOutput(context, {0}, shape, &output) : MakeOutput(context, {0, 1}, shape, &output));
  if (shape.num_elements() == 0) return;
  OP_REQUIRES_OK(context, Scan(context, ScanShape(shape, axis), attrs_, inputs, output->data()));
}

Status ScanShapeFn(InferenceContext* c) {
  const int last = c->num_inputs() - 1;
  ShapeHandle shape = c->input(0), scalar;
  for (int i = 1; i < last; ++i) TF_RETURN_IF_ERROR(c->Merge(shape, c->input(i), &shape));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(last), 0, &scalar));
  const Tensor* given = c->input_tensor(last);
  int axis = 0;
  if (given != nullptr && c->RankKnown(shape)) TF_RETURN_IF_ERROR(ReadAxis(*given, "axis", c->Rank(shape), &axis));
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

namespace {

// The lines of group i of those that RunScan makes.
ScanLines LinesOf(const ScanShape& shape, ScanAttrs attrs, int64 i, int64 size) {
  ScanLines lines;
  lines.rows = shape.rows;
  lines.exclusive = attrs.exclusive;
  const bool is_flat = shape.width == 1;  // the elements of a line are next to each other
  const int64 groups = is_flat ? 1 : (shape.width + size - 1) / size, begin = i % groups * size;
  lines.first = is_flat ? i * size * shape.rows : i / groups * shape.rows * shape.width + begin;
  lines.count = std::min(size, is_flat ? shape.matrices - i * size : shape.width - begin);
  lines.line_step = is_flat ? shape.rows : 1;
  lines.step = shape.width;
  if (!attrs.reverse) return lines;
  lines.first += (shape.rows - 1) * shape.width;
  lines.step = -shape.width;
  return lines;
}

}  // namespace

Status RunScan(OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, ScanLoop loop,
               const void* const* inputs, void* output) {
  const int64 size = shape.width == 1 ? kScannedTogether : std::min(kScanChunk, shape.width);
  const int64 groups =
      shape.width == 1 ? (shape.matrices + size - 1) / size : shape.matrices * ((shape.width + size - 1) / size);
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  Shard(workers.num_threads, workers.workers, groups, shape.rows * size + 10, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) loop(LinesOf(shape, attrs, i, size), inputs, output);
  });
  return Status::OK();
}

}  // namespace math_ops
