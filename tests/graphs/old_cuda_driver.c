// tests/graphs/old_cuda_driver.c: a libcuda.so.1 of before CUDA 11.4, which has not all calls.
// SPDX-License-Identifier: Apache-2.0
int cuInit(unsigned flags) {
  return flags != 0;
}
int cuDriverGetVersion(int* version) {
  *version = 11020;
  return 0;
}
