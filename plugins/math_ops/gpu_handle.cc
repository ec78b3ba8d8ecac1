// plugins/math_ops/gpu_handle.cc
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_handle.h"

#include <cstdlib>
#include <cstring>

#include "opsrun/internal/gpu_runtime.h"

namespace math_ops {
namespace {

// "libcublas.so.13, .12 and .11"
std::string NamesOf(const GpuLibraryText& library, const int* versions, size_t count) {
  std::string names = library.file + std::to_string(versions[0]);
  for (size_t i = 1; i < count; ++i) names += (i + 1 < count ? ", ." : " and .") + std::to_string(versions[i]);
  return names;
}

}  // namespace

Status FindCurrentGpu(int* device) {
  const cudaError_t error = cudaGetDevice(device);
  if (error == cudaSuccess) return Status::OK();
  return errors::Internal("cudaGetDevice fails with ", cudaGetErrorName(error));
}

int MajorCapability(int device) {
  int major = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess)
    (void)cudaGetLastError();
  return major;
}

bool IsSwitchedOff(const GpuLibraryText& library) {
  const char* const text = secure_getenv(library.switch_off);
  return text != nullptr && std::strcmp(text, "0") == 0;
}

void WarnOfMissing(const GpuLibraryText& library, const int* versions, size_t count, const std::string& problems) {
  LOG(WARNING) << library.work << " on the GPU are slower than with " << library.name << ", which cannot be used: "
               << (problems.empty() ? NamesOf(library, versions, count) + " were not found; " + library.remedy +
                                          ", or add its folder to LD_LIBRARY_PATH"
                                    : problems)
               << "; " << library.switch_off << "=0 does without it";
}

Status GpuCallError(const std::string& call, const std::string& library, const std::string& status_text,
                    bool is_out_of_memory) {
  const std::string text = call + " of " + library + " fails with " + status_text;
  return is_out_of_memory ? errors::ResourceExhausted(text, ": the GPU has too little memory left")
                          : errors::Internal(text);
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
