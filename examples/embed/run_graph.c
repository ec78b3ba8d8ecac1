/* examples/embed/run_graph.c: loads a graph, runs it on this program's own arrays, and prints the result.
 * usage: run_graph_c totals.yaml
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "opsrun/embed.h"

// [report]
/* Prints the errors or warnings that a call has reported, and frees the report. Returns 1 if the call succeeded. */
static int succeeded(int32_t code, opsrun_report** report) {
  const opsrun_str text = opsrun_report_text(*report, OPSRUN_FORMAT_HUMAN);
  if (text.size > 0) fwrite(text.data, 1, text.size, stderr);
  opsrun_report_free(*report);
  *report = NULL;
  return code == OPSRUN_OK;
}
// [/report]

// [run]
/* Passes two feeds, in the order of the graph file; the result is written to `totals`. */
static int run(opsrun_graph* graph) {
  float prices[] = {1.5f, 20.0f, 3.25f};
  float taxes[] = {0.25f, 4.0f, 0.5f};
  float totals[3];
  const int64_t shape[] = {3};
  const opsrun_array price_array = {prices, shape, NULL, OPSRUN_DT_FLOAT, 1};
  const opsrun_array tax_array = {taxes, shape, NULL, OPSRUN_DT_FLOAT, 1};
  const opsrun_array total_array = {totals, shape, NULL, OPSRUN_DT_FLOAT, 1};

  const opsrun_in feeds[] = {{.array = &price_array}, {.array = &tax_array}};
  opsrun_out outputs[] = {{.into = &total_array}};
  opsrun_report* report = NULL;
  if (!succeeded(opsrun_graph_run(graph, feeds, 2, outputs, 1, NULL, &report), &report)) return 0;

  for (int i = 0; i < 3; ++i) printf("%g\n", totals[i]);
  return 1;
}
// [/run]

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s GRAPH.yaml\n", argv[0]);
    return 2;
  }
  // [main]
  opsrun_engine* engine = NULL;
  opsrun_graph* graph = NULL;
  opsrun_report* report = NULL;
  const int done = succeeded(opsrun_engine_create(NULL, &engine, &report), &report) &&
                   succeeded(opsrun_graph_load_file(engine, opsrun_str_of(argv[1]), NULL, &graph, &report), &report) &&
                   run(graph);
  opsrun_graph_destroy(graph);
  opsrun_engine_destroy(engine);
  // [/main]
  return done ? 0 : 1;
}
