/* tests/abi/levels/two_hosts.c: runs one graph with one plugin in two hosts of this process, which are two versions of
 * libopsrun.so.
 *
 * usage: two_hosts GRAPH PLUGINS LIBRARY LIBRARY
 * Prints the output of the graph, what its plugin sees of the host, in a line for each run; or the reason why a run
 * failed. Built with the header of level 2 and WITH_TAG, it uses a field of that level. SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

#include "opsrun/embed.h"

struct host {
  void* library;
  opsrun_engine* engine;
  opsrun_graph* graph;
};

#define FUNCTION(host, name) ((__typeof__(&name))dlsym((host)->library, #name))

static int fail(struct host* host, opsrun_report* report) {
  const opsrun_str text = FUNCTION(host, opsrun_report_text)(report, OPSRUN_FORMAT_SHORT);
  fprintf(stderr, "%.*s", (int)text.size, text.data);
  FUNCTION(host, opsrun_report_free)(report);
  return 1;
}

static int begin(struct host* host, const char* library, opsrun_str graph, opsrun_str plugins) {
  opsrun_engine_options options = {
      .size = sizeof(options), .flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS, .threads = 3, .plugins = &plugins, .n_plugins = 1};
  opsrun_report* report = NULL;
  host->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (host->library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  if (FUNCTION(host, opsrun_engine_create_at_level)(OPSRUN_EMBED_LEVEL, &options, &host->engine, &report) != OPSRUN_OK)
    return fail(host, report);
  if (FUNCTION(host, opsrun_graph_load_file)(host->engine, graph, NULL, &host->graph, &report) != OPSRUN_OK)
    return fail(host, report);
  FUNCTION(host, opsrun_report_free)(report);
  return 0;
}

static int run(struct host* host) {
  opsrun_out out = {0};
  opsrun_run_options options = {.size = sizeof(options)};
#ifdef WITH_TAG
  options.tag = 7;
#endif
  opsrun_report* report = NULL;
  if (FUNCTION(host, opsrun_graph_run)(host->graph, NULL, 0, &out, 1, &options, &report) != OPSRUN_OK)
    return fail(host, report);
  const int64_t* seen = out.array.data;
  printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", seen[0], seen[1], seen[2], seen[3]);
  FUNCTION(host, opsrun_outs_free)(&out, 1);
  return 0;
}

static void end(struct host* host) {
  FUNCTION(host, opsrun_graph_destroy)(host->graph);
  FUNCTION(host, opsrun_engine_destroy)(host->engine);
}

int main(int argc, char** argv) {
  struct host a, b;
  if (argc != 5) return 2;
  const opsrun_str graph = opsrun_str_of(argv[1]), plugins = opsrun_str_of(argv[2]);
  if (begin(&a, argv[3], graph, plugins) || begin(&b, argv[4], graph, plugins)) return 1;
  for (int i = 0; i < 2; ++i) { /* one after the other: each must still be the host of its own objects */
    if (run(&a) || run(&b)) return 1;
  }
  end(&a);
  const int ended = run(&b);
  end(&b);
  return ended;
}
