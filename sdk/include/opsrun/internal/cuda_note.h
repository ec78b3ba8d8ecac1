// opsrun/internal/cuda_note.h: the CUDA note of a translation unit compiled by nvcc: runtime version and architectures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/note.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// "rt=13000;arch=800,900"; "rt=0;arch=emul" if a C++ compiler compiles kernels for a fake CUDA driver.
struct CudaBuild {
  constexpr void WriteNote(NoteWriter* note) const {
#ifdef OPSRUN_CUDA_EMULATION
    note->Put("rt=0;arch=emul");
#else
    constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};
    note->Put("rt=");
    note->PutNumber(CUDART_VERSION);
    note->Put(";arch");
    char separator = '=';
    for (const int architecture : kArchitectures) {
      note->Put(separator);
      note->PutNumber(architecture);
      separator = ',';
    }
#endif
  }
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

OPSRUN_TEXT_NOTE(opsrun_sdk_cuda_note, OPSRUN_NOTE_CUDA, ::OPSRUN_NAMESPACE::internal::CudaBuild{},
                 ::OPSRUN_NAMESPACE::internal::CudaBuild{})
