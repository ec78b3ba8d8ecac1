/* tests/bad_plugins/faults/library.c: what plugins here are linked with. It uses the C library, and maybe something
 * else. SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#ifndef USES
#define USES abort
#endif
extern void USES(void);

void opsrun_test_library(const char* variable);
void opsrun_test_library(const char* variable) {
  if (getenv(variable) == NULL) USES();
}
