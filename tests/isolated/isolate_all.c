// tests/isolated/isolate_all.c: loaded before all other libraries (LD_PRELOAD), it isolates every plugin of whatever a
// test starts: of the program opsrun, with one more option, and of engines that libopsrun.so makes. Tests of plugins
// read OPSRUN_TEST_ISOLATE instead: see opsrun/testing.h.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "opsrun/embed.h"

#define SHOWN __attribute__((visibility("default")))

typedef int (*Main)(int, char**, char**);
typedef int (*StartMain)(Main, int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
typedef int32_t (*CreateEngine)(uint32_t, const opsrun_engine_options*, opsrun_engine**, opsrun_report**);

// The place of the option: behind a command that has it, or before the graph if there is no command. 0: none.
static int PlaceOfOption(int argc, char** argv) {
  static const char* const commands[] = {"run", "batch", "bench", "check", "config", "plan", "graph", "report"};
  if (argc < 2) return 0;
  const char* const slash = strrchr(argv[0], '/');
  if (strcmp(slash == NULL ? argv[0] : slash + 1, "opsrun") != 0) return 0;
  for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); ++i) {
    if (strcmp(argv[1], commands[i]) == 0) return 2;
  }
  return strcmp(argv[1], "-") == 0 || strstr(argv[1], ".yaml") != NULL || strstr(argv[1], ".opsplan") != NULL;
}

static Main program;

static int IsolatedMain(int argc, char** argv, char** environment) {
  static char option[] = "--isolate", all[] = "all";
  const int place = PlaceOfOption(argc, argv);
  char** const more = place == 0 ? NULL : malloc(((size_t)argc + 3) * sizeof(*more));
  if (more == NULL) return program(argc, argv, environment);
  memcpy(more, argv, (size_t)place * sizeof(*more));
  more[place] = option;
  more[place + 1] = all;
  memcpy(more + place + 2, argv + place, ((size_t)(argc - place) + 1) * sizeof(*more));
  const int status = program(argc + 2, more, environment);
  free(more);
  return status;
}

SHOWN int __libc_start_main(Main main, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*end)(void),
                            void* stack) {
  program = main;
  return ((StartMain)dlsym(RTLD_NEXT, "__libc_start_main"))(IsolatedMain, argc, argv, init, fini, end, stack);
}

// Options of another level, and those that name plugins to isolate, stay as they are.
SHOWN int32_t opsrun_engine_create_at_level(uint32_t level, const opsrun_engine_options* options,
                                            opsrun_engine** engine, opsrun_report** report) {
  static const opsrun_str all = {"all", 3};
  void* const library = dlopen("libopsrun.so.1", RTLD_LAZY | RTLD_NOLOAD);
  const CreateEngine create = (CreateEngine)dlsym(library, "opsrun_engine_create_at_level");
  opsrun_engine_options isolated = {.size = sizeof(isolated)};
  if (options != NULL && options->size == sizeof(isolated)) isolated = *options;
  if (isolated.n_isolate == 0) {
    isolated.isolate = &all;
    isolated.n_isolate = 1;
  }
  const int is_usable = options == NULL || options->size == sizeof(isolated);
  const int32_t code = create(level, is_usable ? &isolated : options, engine, report);
  dlclose(library);
  return code;
}
