// adapters/tensorflow/native/kernel.cc
// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include "types.h"

namespace opsrun_tf {

Kernel::Kernel(const TypedOp& op) : table_(op.op().engine.table()), n_in_(op.info().n_in) {
  AddTypes(op.info().in_types, op.info().n_in);
  AddTypes(op.info().out_types, op.info().n_out);
  kernel_ = opsrun_adapter::MakeKernel(op.get(), op.op().name);
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel_.get());
  compute_ = info.compute;
  object_ = info.object;
}

void Kernel::AddTypes(const int32_t* types, uint32_t n) {
  for (uint32_t i = 0; i < n; ++i) {
    const opsrun_dldtype* const dl = FindType(types[i]);
    if (dl == nullptr) {
      throw opsrun_adapter::Failure(OPSRUN_UNIMPLEMENTED,
                                    "tensors of type " +
                                        tensorflow::DataTypeString(static_cast<tensorflow::DataType>(types[i])) +
                                        " are not laid out in TensorFlow as in opsrun");
    }
    types_.push_back({types[i], *dl});
  }
}

}  // namespace opsrun_tf
