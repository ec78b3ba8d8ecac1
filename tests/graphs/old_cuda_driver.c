// tests/graphs/old_cuda_driver.c: a libcuda.so.1 from before CUDA 11.4, which lacks some calls.
// SPDX-License-Identifier: Apache-2.0
int cuInit(unsigned flags) {
  return flags != 0;
}
int cuDriverGetVersion(int* version) {
  *version = 11020;
  return 0;
}
