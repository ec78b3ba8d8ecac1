// host/cli/main.cc: the program opsrun.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/base/exit_status.h"
#include "host/cli/command_line.h"
#include "host/cli/console.h"
#include "host/plugin/open_plugin.h"

namespace opsrun::host {
namespace {

bool UseColor(ColorChoice choice, int descriptor) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  const bool able = term != nullptr && std::strcmp(term, "dumb") != 0;
  return wanted && able && isatty(descriptor) != 0;
}

RenderStyle StyleOf(const CommonOptions& common) {
  return {common.error_format, UseColor(common.color, STDERR_FILENO)};
}

// The plugin that is being opened.
OpeningSlot opening = nullptr;

int Carry(Invocation invocation) {
  invocation.common.opening = &opening;
  Console console(stdout, stderr, StyleOf(invocation.common), invocation.common.quiet);
  return console.Finish(invocation.command->Execute(invocation.common, console));
}

int Carry(const HelpText& help) {
  Console console(stdout, stderr, {}, false);
  console.Print(help.text);
  return console.Finish(kExitOk);
}

int Carry(const Introduction& introduction) {
  std::fputs(introduction.text.c_str(), stderr);
  return kExitUsage;
}

int Carry(const UsageError& error) {
  Console console(stdout, stderr, StyleOf(error.common), false);
  console.Report(error.diagnostic);
  return console.Finish(kExitUsage);
}

// A file that is opened later must not become standard output or standard error because nobody gave the program one.
// What is open for reading only makes writing fail, as it should.
void OccupyStandardStreams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != descriptor) std::abort();
  }
}

void Say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

// A plugin that crashes while it is opened takes the program with it; who it was is the last thing to be said.
extern "C" void SayWhoCrashed(int signal) {
  std::signal(signal, SIG_DFL);
  if (const char* path = opening.load()) {
    Say("error[P106]: the program ends: ");
    Say(path);
    Say(" crashed while it was opened\n  = help: remove it, or build it again; its constructors or its entry are at "
        "fault\n");
  }
  raise(signal);
}

// Leaves alone what a sanitizer or a debugger has set up.
void SayWhoCrashes() {
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) {
    struct sigaction now = {};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) std::signal(signal, SayWhoCrashed);
  }
}

int Main(const std::vector<std::string>& words) {
  OccupyStandardStreams();
  SayWhoCrashes();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes away must not end the program before its files are written
  std::signal(SIGXFSZ, SIG_IGN);  // a file above the user's limit is an error message, not a dead program
  CommandLine line = ParseCommandLine(words);
  return std::visit([](auto& what) { return Carry(std::move(what)); }, line);
}

int ReportBug(const char* what) {
  std::fprintf(stderr, "error[B000]: a bug in opsrun: %s\n  = help: please report it, with the command and its files\n",
               what);
  return kExitBug;
}

}  // namespace
}  // namespace opsrun::host

int main(int argc, char** argv) {
  try {
    return opsrun::host::Main({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    std::fputs("error[D100]: there is not enough memory\n", stderr);
    return opsrun::host::kExitDevice;
  } catch (const std::exception& e) {
    return opsrun::host::ReportBug(e.what());
  } catch (...) {
    return opsrun::host::ReportBug("an exception of no known type");
  }
}
