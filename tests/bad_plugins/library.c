/* tests/bad_plugins/library.c: a library that plugins link against. It uses the C library, and optionally another one;
 * VALUE changes its build id.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#ifndef USES
#define USES abort
#endif
#ifndef VALUE
#define VALUE 0
#endif
extern void USES(void);

int opsrun_test_library(const char* variable);
int opsrun_test_library(const char* variable) {
  if (getenv(variable) == NULL) USES();
  return VALUE;
}
