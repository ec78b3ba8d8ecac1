/* tests/abi/includes_embed.c: embed.h compiles alone, as C11 and as C++17; with DLPack's header before it, it takes a
 * DLTensor.
 * SPDX-License-Identifier: Apache-2.0 */
#ifdef WITH_DLPACK
#include "dlpack.h"
#endif

#include "opsrun/embed.h"
#include "opsrun/embed.h"

#ifdef WITH_DLPACK
int32_t run(opsrun_graph* graph, const DLTensor* feed, DLManagedTensorVersioned** result);
int32_t run(opsrun_graph* graph, const DLTensor* feed, DLManagedTensorVersioned** result) {
  opsrun_in in = {feed, NULL, 0, 0, NULL, {0, 0}};
  opsrun_out out = {NULL, {NULL, NULL, NULL, 0, 0, {0, 0}}, NULL, NULL, {0, 0}, NULL, {0, 0}};
  const int32_t code = opsrun_graph_run(graph, &in, 1, &out, 1, NULL, NULL);
  *result = out.tensor;
  return code;
}
#endif
