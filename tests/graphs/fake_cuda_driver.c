/* tests/graphs/fake_cuda_driver.c: a libcuda.so.1 with two cards, or one that fails: FAKE_CUDA_INIT is what cuInit
 * returns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int* version);
int cuDeviceGetCount(int* count);
int cuDeviceGet(int* device, int index);
int cuDeviceGetName(char* name, int size, int device);
int cuDeviceGetAttribute(int* value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t* bytes, int device);

int cuInit(unsigned flags) {
  const char* answer = getenv("FAKE_CUDA_INIT");
  return flags != 0 ? 1 : answer == NULL ? 0 : atoi(answer);
}
int cuDriverGetVersion(int* version) {
  return *version = 12040, 0;
}
int cuDeviceGetCount(int* count) {
  return *count = 2, 0;
}
int cuDeviceGet(int* device, int index) {
  return *device = index + 7, 0;
}
int cuDeviceGetName(char* name, int size, int device) {
  snprintf(name, (size_t)size, "Card of handle %d", device);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 75 ? device + 1 : attribute == 76 ? 6 : -1;
  return 0;
}
int cuDeviceTotalMem_v2(size_t* bytes, int device) {
  *bytes = (size_t)device << 30;
  return 0;
}
