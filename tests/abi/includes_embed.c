/* tests/abi/includes_embed.c: embed.h compiles alone, as C11 and as C++17; with DLPack's header before it, it takes a
 * DLTensor. The structs below stand in for dlpack.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef WITH_DLPACK
#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
typedef struct {
  void* data;
  struct {
    int32_t device_type, device_id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

#include "opsrun/embed.h"
#include "opsrun/embed.h"

#ifdef WITH_DLPACK
int32_t run(opsrun_graph* graph, const DLTensor* feed, DLManagedTensorVersioned** result);
int32_t run(opsrun_graph* graph, const DLTensor* feed, DLManagedTensorVersioned** result) {
  opsrun_in in = {feed, NULL, 0, 0};
  opsrun_out out = {NULL, {NULL, NULL, NULL, 0, 0}, NULL, NULL};
  const int32_t code = opsrun_graph_run(graph, &in, 1, &out, 1, NULL, NULL);
  *result = out.tensor;
  return code;
}
#endif
