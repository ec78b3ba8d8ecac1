/* tests/bad_plugins/built_oddly/dependency.c: what plugins here are linked with. VALUE makes its build id another one.
 * SPDX-License-Identifier: Apache-2.0
 */
int opsrun_test_dependency(void);
int opsrun_test_dependency(void) {
  return VALUE;
}
