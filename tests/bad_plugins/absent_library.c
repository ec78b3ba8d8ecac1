/* tests/bad_plugins/absent_library.c: a library that is there when its user is linked, and not later.
 * SPDX-License-Identifier: Apache-2.0
 */
int opsrun_test_absent(void) {
  return 1;
}
