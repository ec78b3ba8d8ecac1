// tests/graphs/ops/versions.cc: ops that change from VERSION to VERSION, for compat and compile. They are never run.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

namespace opsrun {

REGISTER_OP("Stays").Attr("T: type").Input("x: T").Output("y: T");

#if VERSION == 1
REGISTER_OP("Scale").Attr("T: {int32, float}").Input("x: T").Output("y: T");
REGISTER_OP("Join").Attr("axis: int = 0").Input("a: float").Input("b: float").Output("ab: float");
REGISTER_OP("Old").Input("x: float");
#elif VERSION == 2
REGISTER_OP("Scale").Attr("T: {int32, float}").Attr("factor: int = 2").Input("x: T").Output("y: T");
REGISTER_OP("Join").Attr("axis: int = 0").Attr("N: int = 2").Input("values: N * float").Output("ab: float");
REGISTER_OP("Old").Input("x: float");
REGISTER_OP("Between").Attr("k: int").Input("x: float");
#else
REGISTER_OP("Scale").Attr("T: {int32, float, double}").Attr("factor: int = 3").Input("x: T").Output("y: T");
REGISTER_OP("Join").Attr("axis: int >= 1 = 1").Input("a: float").Input("b: float").Output("joined: float");
REGISTER_OP("New").Input("x: float");
REGISTER_OP("Between").Attr("k: int = 1").Input("x: float");
#endif

class Nothing : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("Stays").Device(DEVICE_CPU), Nothing);
REGISTER_KERNEL_BUILDER(Name("Scale").Device(DEVICE_CPU), Nothing);

}  // namespace opsrun
