/* tests/abi/witness/types.c: a library whose debug information holds every type of the contract.
 * SPDX-License-Identifier: Apache-2.0 */
#include "c_api.h"

#define PARAMETER(T, fp, FIELDS, signatures) T *a_##T,
OPSRUN_EXPORT void every_type(OPSRUN_STRUCTS(PARAMETER) opsrun_note_plugin* note, opsrun_entry_fn entry,
                              opsrun_range_fn range, opsrun_cuda* cuda, opsrun_log* log, opsrun_trace* trace,
                              opsrun_memory* memory);

void every_type(OPSRUN_STRUCTS(PARAMETER) opsrun_note_plugin* note, opsrun_entry_fn entry, opsrun_range_fn range,
                opsrun_cuda* cuda, opsrun_log* log, opsrun_trace* trace, opsrun_memory* memory) {}
