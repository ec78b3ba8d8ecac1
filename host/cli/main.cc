// host/cli/main.cc: the program opsrun.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "host/base/environment.h"
#include "host/cli/commands.h"
#include "host/cli/guard/guard.h"
#include "host/examine/signature.h"

namespace opsrun::host {
namespace {

bool UseColor(ColorChoice choice, int descriptor) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = Environment("NO_COLOR");
  const char* term = Environment("TERM");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  const bool able = term != nullptr && std::strcmp(term, "dumb") != 0;
  return wanted && able && isatty(descriptor) != 0;
}

RenderStyle StyleOf(const CommonOptions& common) {
  return {common.error_format, UseColor(common.color, STDERR_FILENO)};
}

int Execute(Invocation invocation) {
  SetCrashFormat(invocation.common.error_format);
  OutputAside aside;
  Console console(aside.file(), stderr, StyleOf(invocation.common), invocation.common.quiet, &aside);
  Result<std::vector<PublicKey>> keys = FindTrustedKeys(invocation.common.keys);
  if (!keys.ok()) return console.Finish(console.Report(MakeError("P110", keys.status().message(), kHelpTrustedKeys)));
  invocation.common.look.keys = *std::move(keys);
  return console.Finish(invocation.command->Execute(invocation.common, console));
}

int Execute(const HelpText& help) {
  if (!help.requested) {
    std::fputs(help.text.c_str(), stderr);
    return kExitUsage;
  }
  Console console(stdout, stderr, {}, false);
  console.Print(help.text);
  return console.Finish(kExitOk);
}

int Execute(const UsageError& error) {
  Console console(stdout, stderr, StyleOf(error.common), false);
  return console.Finish(console.Report(error.diagnostic));
}

// If standard streams are closed, a file opened later could get their descriptors. /dev/null, opened for reading, makes
// writes to them fail instead.
void OccupyStandardStreams() {
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1 && open("/dev/null", O_RDONLY) != descriptor) std::abort();
  }
}

int Main(const std::vector<std::string>& words) {
  OccupyStandardStreams();
  ReportCrashes();
  std::signal(SIGPIPE, SIG_IGN);  // SIGPIPE would end the program before its files are written
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit becomes an error message
  CommandLine line = ParseCommandLine(words);
  return std::visit([](auto& what) { return Execute(std::move(what)); }, line);
}

int ReportLast(const std::vector<std::string>& words, const Diagnostic& d) {
  const CommandLine line = ParseCommandLine(words);
  const auto* invocation = std::get_if<Invocation>(&line);
  Console console(stdout, stderr, invocation == nullptr ? RenderStyle{} : StyleOf(invocation->common), false);
  return console.Finish(console.Report(d));
}

int ReportBug(const std::vector<std::string>& words, const std::string& what) {
  return ReportLast(
      words, MakeError("B000", "internal error: " + what, "please report it, with the command line and its files"));
}

int RunProgram(const std::vector<std::string>& words) {
  try {
    return Main(words);
  } catch (const std::bad_alloc&) {
    return ReportLast(words, MakeError("D100", "out of memory"));
  } catch (const std::exception& e) {
    return ReportBug(words, e.what());
  } catch (...) {
    return ReportBug(words, "an exception of an unknown type");
  }
}

}  // namespace
}  // namespace opsrun::host

int main(int argc, char** argv) {
  using namespace opsrun::host;
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int status = RunProgram(words);
  EnterExit();
  return status;
}
