// tests/host/examine/kernel.cu: something for nvcc to compile.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void AddOne(int* values) {
  ++values[threadIdx.x];
}
