// plugins/math_ops/gpu_convolver.cc
//
// cuDNN's tensors are [n, h, w, c] here, whatever the order in memory; a filter is [filters, height, width, channels].
// Ours are copied where cuDNN cannot describe them: filters always, which it wants as [filters, height, width,
// channels] in memory too; images that are padded by more at the end than at the beginning; all tensors of float64, for
// which it wants the channels before height and width; and what it reads where 16 bytes are not aligned.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <cstring>
#include <utility>
#include <vector>

#include "conv2d_ops.h"
#include "gpu_dnn_library.h"
#include "gpu_handle.h"
#include "opsrun/gpu_launch.h"
#include "opsrun/internal/gpu_runtime.h"

namespace math_ops {
namespace {

typedef GpuHandle<GpuDnnLibrary> GpuDnn;

struct ConvTensor {
  int64 sizes[4];     // of cuDNN's tensor, with padding
  CopiedDim dims[4];  // of ours; `to`: the steps of cuDNN's tensor
  bool copied, padded;

  int64 elements() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }

  // Whether the sizes and their product fit into cuDNN's integers.
  bool Fits() const {
    int64 product = 1;
    for (const int64 size : sizes) {
      if (size > INT32_MAX / product) return false;
      product *= size;
    }
    return true;
  }
};

ConvTensor MakeTensor(const int64 (&sizes)[4], const int64 (&steps)[4], int64 height, int64 width,
                      bool channels_first) {
  const int64 channels = sizes[3];
  ConvTensor tensor = {{sizes[0], height, width, channels}};
  if (!tensor.Fits()) return tensor;
  const int64 image = height * width * channels;
  const int64 last[] = {image, width * channels, channels, 1}, first[] = {image, width, 1, height * width};
  tensor.padded = tensor.copied = height != sizes[1] || width != sizes[2];
  for (int i = 0; i < 4; ++i) {
    tensor.dims[i] = {sizes[i], steps[i], channels_first ? first[i] : last[i]};
    tensor.copied |= sizes[i] > 1 && tensor.dims[i].from != tensor.dims[i].to;
  }
  return tensor;
}

// cuDNN pads both ends by the same number of pixels. Returns the size of the image, extended at its end, on which it
// has the same windows; -1 if it would have more of them even without, or sizes do not fit into its integers.
int64 SizeForCudnn(const WindowAxis& axis) {
  const int64 extent = (axis.taps - 1) * axis.dilation + 1;
  const int64 needed = (axis.windows - 1) * axis.stride + extent - 2 * axis.before;
  if (axis.size >= needed + axis.stride) return -1;
  const int64 size = std::max(axis.size, needed);
  return std::max(extent, size + 2 * axis.before) <= INT32_MAX ? size : -1;
}

// The three tensors of a convolution.
enum Which { kImages, kFilter, kConvolved };
// x, y and out, as defined for ConvLoop.
constexpr Which kOperands[][3] = {
    {kImages, kFilter, kConvolved}, {kFilter, kConvolved, kImages}, {kImages, kConvolved, kFilter}};

int TypeOf(DataType type) {
  return type == DT_HALF       ? kCudnnHalf
         : type == DT_BFLOAT16 ? kCudnnBfloat16
         : type == DT_FLOAT    ? kCudnnFloat
                               : kCudnnDouble;
}

Status SetToZero(OpKernelContext* context, void* data, int64 bytes) {
  const cudaError_t error = cudaMemsetAsync(data, 0, static_cast<size_t>(bytes), GetGpuStream(context));
  return error == cudaSuccess ? Status() : errors::Internal("cudaMemsetAsync: ", cudaGetErrorString(error));
}

}  // namespace

// What cuDNN needs to know about one convolution. Belongs to a kernel, and must not outlive its handle.
class CudnnPlan {
 public:
  static Status Make(OpKernelContext* context, GpuDnn* cudnn, ConvTask task, DataType type,
                     const Convolution& convolution, std::shared_ptr<const CudnnPlan>* made);
  ~CudnnPlan();

  bool IsFor(const Convolution& convolution) const {
    static_assert(std::has_unique_object_representations_v<Convolution>);
    return std::memcmp(&convolution, &of_, sizeof of_) == 0;
  }
  // *refused: cuDNN does not support the convolution, and the results are not computed.
  Status Run(OpKernelContext* context, const void* x, const void* y, void* out, bool* refused) const;

 private:
  CudnnPlan(GpuDnn* cudnn, ConvTask task, DataType type, const Convolution& convolution, bool channels_first);
  void MakeDescriptors(GpuCallRow& row);
  void ChooseAlgorithm(CudnnHandle handle, GpuCallRow& row);
  void AskForWorkspace(CudnnHandle handle, GpuCallRow& row);
  void Enqueue(CudnnHandle handle, void* const (&data)[3], void* workspace, GpuCallRow& row) const;
  // Makes *data a copy for cuDNN, with the elements if it is read.
  Status Copy(OpKernelContext* context, const ConvTensor& tensor, bool is_read, Tensor* copy, void** data) const;

  GpuDnn* const cudnn_;
  const GpuDnnLibrary& library_;
  const ConvTask task_;
  const DataType type_;
  const Convolution of_;
  const bool channels_first_;
  ConvTensor tensors_[3];
  bool refused_;
  CudnnTensor images_ = nullptr, convolved_ = nullptr;
  CudnnFilter filter_ = nullptr;
  CudnnConvolution convolution_ = nullptr;
  int algorithm_ = 0;
  size_t workspace_bytes_ = 0;
};

CudnnPlan::CudnnPlan(GpuDnn* cudnn, ConvTask task, DataType type, const Convolution& of, bool channels_first)
    : cudnn_(cudnn), library_(cudnn->library()), task_(task), type_(type), of_(of), channels_first_(channels_first) {
  const WindowAxis &y = of.images.y, &x = of.images.x;
  const int64 batch = of.images.batch, channels = of.images.channels, filters = of.filters;
  const int64 height = SizeForCudnn(y), width = SizeForCudnn(x);
  tensors_[kImages] =
      MakeTensor({batch, y.size, x.size, channels}, {y.size * x.size * channels, x.size * channels, channels, 1},
                 height, width, channels_first);
  tensors_[kFilter] =
      MakeTensor({filters, y.taps, x.taps, channels}, {1, x.taps * channels * filters, channels * filters, filters},
                 y.taps, x.taps, channels_first);
  tensors_[kConvolved] = MakeTensor({batch, y.windows, x.windows, filters},
                                    {y.windows * x.windows * filters, x.windows * filters, filters, 1}, y.windows,
                                    x.windows, channels_first);
  refused_ = height < 0 || width < 0;
  for (const ConvTensor& tensor : tensors_) refused_ |= !tensor.Fits();
}

CudnnPlan::~CudnnPlan() {
  if (images_ != nullptr) (void)library_.cudnnDestroyTensorDescriptor(images_);
  if (convolved_ != nullptr) (void)library_.cudnnDestroyTensorDescriptor(convolved_);
  if (filter_ != nullptr) (void)library_.cudnnDestroyFilterDescriptor(filter_);
  if (convolution_ != nullptr) (void)library_.cudnnDestroyConvolutionDescriptor(convolution_);
}

Status CudnnPlan::Make(OpKernelContext* context, GpuDnn* cudnn, ConvTask task, DataType type,
                       const Convolution& convolution, std::shared_ptr<const CudnnPlan>* made) {
  bool refused = true;
  for (const bool channels_first : {false, true}) {
    if (!refused || (type == DT_DOUBLE && !channels_first)) continue;
    const std::shared_ptr<CudnnPlan> plan(new CudnnPlan(cudnn, task, type, convolution, channels_first));
    const auto prepare = [&](CudnnHandle handle, GpuCallRow& row) {
      plan->MakeDescriptors(row);
      plan->ChooseAlgorithm(handle, row);
    };
    if (!plan->refused_) TF_RETURN_IF_ERROR(cudnn->Run(GetGpuStream(context), prepare, &plan->refused_));
    refused = plan->refused_;
    *made = plan;
  }
  return Status::OK();
}

#define MATH_OPS_CUDNN(call) #call, library_.call

void CudnnPlan::MakeDescriptors(GpuCallRow& row) {
  const int format = channels_first_ ? kCudnnChannelsFirst : kCudnnChannelsLast, type = TypeOf(type_);
  const auto size = [this](Which which, int dim) { return static_cast<int>(tensors_[which].sizes[dim]); };
  const auto number = [](int64 n) { return static_cast<int>(n); };
  const WindowAxis &y = of_.images.y, &x = of_.images.x;
  const int math = type_ == DT_FLOAT ? kCudnnFmaMath : type_ == DT_DOUBLE ? kCudnnDefaultMath : kCudnnTensorOpMath;
  row.Then(MATH_OPS_CUDNN(cudnnCreateTensorDescriptor), &images_)
      .Then(MATH_OPS_CUDNN(cudnnSetTensor4dDescriptor), images_, format, type, size(kImages, 0), size(kImages, 3),
            size(kImages, 1), size(kImages, 2))
      .Then(MATH_OPS_CUDNN(cudnnCreateTensorDescriptor), &convolved_)
      .Then(MATH_OPS_CUDNN(cudnnSetTensor4dDescriptor), convolved_, format, type, size(kConvolved, 0),
            size(kConvolved, 3), size(kConvolved, 1), size(kConvolved, 2))
      .Then(MATH_OPS_CUDNN(cudnnCreateFilterDescriptor), &filter_)
      .Then(MATH_OPS_CUDNN(cudnnSetFilter4dDescriptor), filter_, type, format, size(kFilter, 0), size(kFilter, 3),
            size(kFilter, 1), size(kFilter, 2))
      .Then(MATH_OPS_CUDNN(cudnnCreateConvolutionDescriptor), &convolution_)
      .Then(MATH_OPS_CUDNN(cudnnSetConvolution2dDescriptor), convolution_, number(y.before), number(x.before),
            number(y.stride), number(x.stride), number(y.dilation), number(x.dilation), kCudnnNotMirrored,
            type_ == DT_DOUBLE ? kCudnnDouble : kCudnnFloat)
      .Then(MATH_OPS_CUDNN(cudnnSetConvolutionMathType), convolution_, math);
}

void CudnnPlan::ChooseAlgorithm(CudnnHandle handle, GpuCallRow& row) {
  const std::vector<int> algorithms = task_ == ConvTask::kConvolve
                                          ? std::vector<int>{kCudnnForwardPrecomputedGemm, kCudnnForwardGemm}
                                      : task_ == ConvTask::kBackToImages ? std::vector<int>{kCudnnBackwardDataGemm}
                                                                         : std::vector<int>{kCudnnBackwardFilterGemm};
  const GpuCallRow before = row;
  for (const int algorithm : algorithms) {
    algorithm_ = algorithm;
    row = before;
    AskForWorkspace(handle, row);
    if (!GpuDnnLibrary::IsRefusal(row.status)) return;
  }
}

void CudnnPlan::AskForWorkspace(CudnnHandle handle, GpuCallRow& row) {
  switch (task_) {
    case ConvTask::kConvolve:
      row.Then(MATH_OPS_CUDNN(cudnnGetConvolutionForwardWorkspaceSize), handle, images_, filter_, convolution_,
               convolved_, algorithm_, &workspace_bytes_);
      break;
    case ConvTask::kBackToImages:
      row.Then(MATH_OPS_CUDNN(cudnnGetConvolutionBackwardDataWorkspaceSize), handle, filter_, convolved_, convolution_,
               images_, algorithm_, &workspace_bytes_);
      break;
    case ConvTask::kBackToFilter:
      row.Then(MATH_OPS_CUDNN(cudnnGetConvolutionBackwardFilterWorkspaceSize), handle, images_, convolved_,
               convolution_, filter_, algorithm_, &workspace_bytes_);
  }
}

void CudnnPlan::Enqueue(CudnnHandle handle, void* const (&data)[3], void* workspace, GpuCallRow& row) const {
  const bool is_double = type_ == DT_DOUBLE;
  const void *const one = GpuScale(is_double, 1), *const zero = GpuScale(is_double, 0);
  switch (task_) {
    case ConvTask::kConvolve:
      row.Then(MATH_OPS_CUDNN(cudnnConvolutionForward), handle, one, images_, data[kImages], filter_, data[kFilter],
               convolution_, algorithm_, workspace, workspace_bytes_, zero, convolved_, data[kConvolved]);
      break;
    case ConvTask::kBackToImages:
      row.Then(MATH_OPS_CUDNN(cudnnConvolutionBackwardData), handle, one, filter_, data[kFilter], convolved_,
               data[kConvolved], convolution_, algorithm_, workspace, workspace_bytes_, zero, images_, data[kImages]);
      break;
    case ConvTask::kBackToFilter:
      row.Then(MATH_OPS_CUDNN(cudnnConvolutionBackwardFilter), handle, one, images_, data[kImages], convolved_,
               data[kConvolved], convolution_, algorithm_, workspace, workspace_bytes_, zero, filter_, data[kFilter]);
  }
}

#undef MATH_OPS_CUDNN

Status CudnnPlan::Copy(OpKernelContext* context, const ConvTensor& tensor, bool is_read, Tensor* copy,
                       void** data) const {
  TF_RETURN_IF_ERROR(context->allocate_temp(type_, TensorShape({tensor.elements()}), copy));
  const void* const from = std::exchange(*data, copy->data());
  if (!is_read) return Status::OK();
  if (tensor.padded) TF_RETURN_IF_ERROR(SetToZero(context, *data, tensor.elements() * DataTypeSize(type_)));
  return CopyOnGpu(context, tensor.dims, type_, from, *data);
}

Status CudnnPlan::Run(OpKernelContext* context, const void* x, const void* y, void* out, bool* refused) const {
  *refused = refused_;
  if (refused_) return Status::OK();
  const auto& operands = kOperands[static_cast<int>(task_)];
  void* data[3];
  data[operands[0]] = const_cast<void*>(x);
  data[operands[1]] = const_cast<void*>(y);
  data[operands[2]] = out;
  Tensor copies[3], workspace;
  for (const Which which : operands) {
    const bool is_read = which != operands[2], is_aligned = reinterpret_cast<uintptr_t>(data[which]) % 16 == 0;
    if (!tensors_[which].copied && (is_aligned || !is_read)) continue;
    TF_RETURN_IF_ERROR(Copy(context, tensors_[which], is_read, &copies[which], &data[which]));
  }
  const auto bytes = static_cast<int64>(workspace_bytes_);
  if (bytes > 0) TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &workspace));
  const auto enqueue = [&](CudnnHandle handle, GpuCallRow& row) {
    Enqueue(handle, data, bytes > 0 ? workspace.data() : nullptr, row);
  };
  TF_RETURN_IF_ERROR(cudnn_->Run(GetGpuStream(context), enqueue, refused));
  const ConvTensor& result = tensors_[operands[2]];
  if (*refused || !result.copied) return Status::OK();
  CopiedDim back[4];
  for (int i = 0; i < 4; ++i) back[i] = {result.dims[i].size, result.dims[i].to, result.dims[i].from};
  return CopyOnGpu(context, back, type_, data[operands[2]], out);
}

GpuConvolver::GpuConvolver(OpKernelConstruction* context, ConvTask task, DataType type)
    : task_(task), type_(type), loop_(GpuConvLoop(task, type)) {
  OP_REQUIRES_OK(context, context->GetAttr("use_cudnn_on_gpu", &uses_cudnn_));
  uses_cudnn_ &= type != DT_INT32;
}

Status GpuConvolver::FindPlan(OpKernelContext* context, GpuDnn* cudnn, const Convolution& convolution,
                              std::shared_ptr<const CudnnPlan>* plan) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& known : plans_) {
    if (known == nullptr || !known->IsFor(convolution)) continue;
    *plan = known;
    return Status::OK();
  }
  TF_RETURN_IF_ERROR(CudnnPlan::Make(context, cudnn, task_, type_, convolution, plan));
  plans_[next_++ % kPlans] = *plan;
  return Status::OK();
}

Status GpuConvolver::ConvolveByCudnn(OpKernelContext* context, const Convolution& convolution, const void* x,
                                     const void* y, void* out, bool* refused) const {
  GpuDnn* cudnn = nullptr;
  TF_RETURN_IF_ERROR(cudnn_.Find(&cudnn));
  *refused = cudnn == nullptr;
  if (*refused) return Status::OK();
  std::shared_ptr<const CudnnPlan> plan;
  TF_RETURN_IF_ERROR(FindPlan(context, cudnn, convolution, &plan));
  return plan->Run(context, x, y, out, refused);
}

Status GpuConvolver::operator()(OpKernelContext* context, const Convolution& convolution, const void* x, const void* y,
                                void* out) const {
  bool refused = true;
  if (uses_cudnn_) TF_RETURN_IF_ERROR(ConvolveByCudnn(context, convolution, x, y, out, &refused));
  return refused ? loop_(context, convolution, x, y, out) : Status::OK();
}

Status GpuConvolver::Clear(OpKernelContext* context, Tensor* output) {
  return SetToZero(context, output->data(), output->NumElements() * DataTypeSize(output->dtype()));
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
