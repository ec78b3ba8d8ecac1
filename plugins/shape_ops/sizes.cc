// plugins/shape_ops/sizes.cc: see sizes.h.
// SPDX-License-Identifier: Apache-2.0
#include "sizes.h"

namespace shape_ops {

using namespace opsrun;

namespace {

template <typename T>
void Copy(const Tensor& tensor, std::vector<int64>* sizes) {
  const auto elements = tensor.flat<T>();
  for (int64 i = 0; i < tensor.NumElements(); ++i) sizes->push_back(elements(i));
}

}  // namespace

Status ReadSizes(const Tensor& tensor, const char* subject, std::vector<int64>* sizes) {
  if (tensor.dims() != 1) {
    return errors::InvalidArgument("sizes are a vector, but this is a tensor of rank ", tensor.dims()).Blame(subject);
  }
  if (tensor.NumElements() > OPSRUN_MAX_RANK) {
    return errors::InvalidArgument("a tensor has at most ", OPSRUN_MAX_RANK, " dimensions, but here are ",
                                   tensor.NumElements(), " sizes")
        .Blame(subject);
  }
  tensor.dtype() == DT_INT32 ? Copy<int32>(tensor, sizes) : Copy<int64>(tensor, sizes);
  return Status::OK();
}

}  // namespace shape_ops
