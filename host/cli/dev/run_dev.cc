// host/cli/dev/run_dev.cc: the loop of opsrun dev. This program opens no plugin: builds, runs and measurements are
// programs of their own.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "host/base/display_text.h"
#include "host/cli/dev/dev.h"
#include "host/cli/measure/measure.h"
#include "host/examine/catalog.h"
#include "host/graph/read_graph.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

std::string EndText(int status) {
  if (WIFSIGNALED(status)) return SignalName(WTERMSIG(status));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::string FolderOf(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::vector<std::string> SourceFolders(const DevOptions& options) {
  if (options.build.empty()) return {};
  std::vector<std::string> folders = {FolderOf(options.graph.graph)};
  folders.insert(folders.end(), options.folders.begin(), options.folders.end());
  return folders;
}

// Passes on what a run says, but for the lines about files that nobody has asked for.
class TalkFilter {
 public:
  explicit TalkFilter(const std::string& folder) : folder_(folder) {}

  void Add(std::string_view text) {
    rest_ += text;
    for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
      Pass(rest_.substr(0, end + 1));
      rest_.erase(0, end + 1);
    }
  }
  void End() {
    Pass(rest_);
    rest_.clear();
  }

 private:
  void Pass(const std::string& line) const {
    if (line.find(folder_) == std::string::npos) std::fwrite(line.data(), 1, line.size(), stderr);
  }

  const std::string& folder_;
  std::string rest_;
};

class DevLoop {
 public:
  DevLoop(const DevOptions& options, Console& console)
      : options_(options), console_(console), watched_(SourceFolders(options)) {}

  int Run() {
    if (folder_.path().empty() || signals_.descriptor() < 0) {
      return console_.Report(MakeError("R504", "dev cannot make a folder for results: " + ErrnoText(errno),
                                       "TMPDIR names the folder in which it is made"));
    }
    ReadGraphFile();
    watched_.Look();
    if (watched_.too_many())
      console_.Note(
          "there are too many files below the watched folders; the last ones are ignored. --watch names others");
    for (bool build = !options_.build.empty(); stop_ == 0;) {
      if (!build || Build()) RunGraph();
      if (stop_ != 0) break;
      const WatchedFiles::Changes changes = AwaitChanges();
      build = !changes.sources.empty();
    }
    return 128 + stop_;
  }

 private:
  enum class End { kEnded, kChanged, kStopped };

  // The names of results, and the files to watch.
  void ReadGraphFile() {
    names_.clear();
    std::vector<std::string> files = {options_.graph.graph}, folders;
    for (const FeedArgument& feed : options_.graph.feeds) files.push_back(feed.path);
    Diagnostics reported_by_the_run;
    const auto source = ReadSource(options_.graph.graph);
    const std::optional<Graph> graph = source.ok() ? ReadGraph(*source, reported_by_the_run) : std::nullopt;
    if (graph) {
      for (const GraphFile& file : FilesRead(*graph)) files.push_back(file.path);
      for (const GraphOutput& output : graph->outputs) names_.push_back(output.name.value);
    }
    for (const auto& each : SearchedDirectories(options_.common.plugins, !options_.common.no_default_plugins))
      folders.push_back(each.directory);
    watched_.SetInputs(std::move(files), std::move(folders));
  }

  // Until the process has ended, a file has changed (if may_change), or a signal comes. talk: what it writes; -1:
  // nobody reads it.
  End Await(OwnProcess& process, bool may_change, int talk, TalkFilter* filter) {
    for (;;) {
      std::array<pollfd, 3> wait = {
          {{signals_.descriptor(), POLLIN, 0}, {talk, POLLIN, 0}, {may_change ? watched_.events() : -1, POLLIN, 0}}};
      if (!process.HasEnded() && poll(wait.data(), wait.size(), -1) < 0) continue;
      if (wait[1].revents != 0 && !Forward(talk, *filter)) talk = -1;
      if ((stop_ = signals_.Take()) != 0) return End::kStopped;
      if (process.HasEnded()) {
        while (talk >= 0 && Forward(talk, *filter)) {
        }
        return End::kEnded;
      }
      if (wait[2].revents != 0 && LookForChanges()) return End::kChanged;
    }
  }

  // False at the end, and if there is nothing now.
  static bool Forward(int talk, TalkFilter& filter) {
    std::array<char, 1 << 16> text;
    const ssize_t n = read(talk, text.data(), text.size());
    if (n > 0) filter.Add({text.data(), static_cast<size_t>(n)});
    return n > 0;
  }

  bool LookForChanges() {
    watched_.Settle();
    WatchedFiles::Changes changes = watched_.Look();
    if (changes.empty()) return false;
    pending_ = std::move(changes);
    return true;
  }

  WatchedFiles::Changes AwaitChanges() {
    console_.Flush();
    if (pending_.empty()) console_.Note("waiting for a change; Ctrl-C ends this");
    constexpr int kEachMs = 1000;
    while (pending_.empty()) {
      std::array<pollfd, 2> wait = {{{signals_.descriptor(), POLLIN, 0}, {watched_.events(), POLLIN, 0}}};
      poll(wait.data(), wait.size(), watched_.complete() ? -1 : kEachMs);
      if ((stop_ = signals_.Take()) != 0) return {};
      LookForChanges();
    }
    WatchedFiles::Changes changes = std::exchange(pending_, {});
    std::vector<std::string> names = changes.sources;
    names.insert(names.end(), changes.inputs.begin(), changes.inputs.end());
    console_.Note("changed: " + QuotedNames(names));
    return changes;
  }

  // False if there is nothing to run.
  bool Build() {
    console_.Note("build: " + options_.build);
    const int64_t begin = NowNs();
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    OwnProcess process;
    if (const int error = process.Start({"/bin/sh", "-c", options_.build}, STDERR_FILENO); error != 0) {
      console_.Report(MakeError("R504", "the build cannot be started: " + ErrnoText(error)));
      return false;
    }
    if (Await(process, false, -1, nullptr) == End::kStopped) return false;
    const int status = process.Wait();
    built_ns_ = NowNs();
    if (status != 0) {
      console_.Note(fmt::format("the build failed: {}", EndText(status)));
      return false;
    }
    console_.Note(fmt::format("built in {}", DurationText(static_cast<double>(built_ns_ - begin))));
    TellUnsearched(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
    // The plugin that was built is no reason to run twice; a source that was edited meanwhile is one to build again.
    pending_.sources = watched_.Look().sources;
    return true;
  }

  // Plugins that were built where nobody looks for them.
  void TellUnsearched(int64_t since) {
    std::set<std::string> searched;
    for (const auto& each : SearchedDirectories(options_.common.plugins, !options_.common.no_default_plugins))
      searched.insert(FileIdentity(each.directory));
    std::vector<std::string> folders = SourceFolders(options_);
    folders.emplace_back(".");
    for (const std::string& file : NewLibraries(folders, since)) {
      const std::string folder = FolderOf(file);
      if (searched.contains(FileIdentity(folder)) || LookAtFile(file).kind != FileLook::Kind::kPlugin) continue;
      if (told_.insert(FileIdentity(folder)).second)
        console_.Note(
            fmt::format("the plugin {} was built in a folder that is not searched; add --plugins {}", file, folder));
    }
  }

  void RunGraph() {
    const int64_t begin = built_ns_ != 0 ? std::exchange(built_ns_, 0) : NowNs();
    ReadGraphFile();
    std::vector<std::string> words = WordsFor("run", options_);
    for (size_t i = 0; i < names_.size(); ++i) words.push_back(fmt::format("--output={}={}", names_[i], ResultFile(i)));
    std::array<int, 2> ends = {-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      console_.Report(MakeError("R504", "the run cannot be started: " + ErrnoText(errno)));
      return;
    }
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    OwnProcess process;
    const int error = process.Start(words, writer.get());
    writer = Descriptor();
    if (error != 0) {
      console_.Report(MakeError("R504", "the run cannot be started: " + ErrnoText(error)));
      return;
    }
    TalkFilter filter(folder_.path());
    const End end = Await(process, true, reader.get(), &filter);
    filter.End();
    if (end != End::kEnded) {
      process.Kill();
      if (end == End::kChanged) console_.Note("the run was ended, because a file has changed");
      return;
    }
    const int status = process.Wait();
    if (status != 0) {
      console_.Note(fmt::format("the run failed: {}", EndText(status)));
      return;
    }
    ShowResults(NowNs() - begin < kLongestMeasured);
    if (stop_ == 0) console_.Note(fmt::format("done after {}", DurationText(static_cast<double>(NowNs() - begin))));
  }

  std::string ResultFile(size_t i) const { return fmt::format("{}/{}.npy", folder_.path(), i); }

  void ShowResults(bool measures) {
    std::vector<NamedResult> results;
    for (size_t i = 0; i < names_.size(); ++i) {
      Result<Tensor> tensor = ReadNpy(ResultFile(i));
      if (tensor.ok()) results.push_back({names_[i], *std::move(tensor)});
    }
    const bool is_first = !last_;
    const std::string text = is_first ? ResultsText(results) : ResultChanges(*last_, results);
    console_.Print(Printable(text));
    console_.Flush();
    last_ = std::move(results);
    ShowShapes(text.empty());
    if (measures && stop_ == 0) ShowTimes();
    if (!measures) last_times_.reset();
    console_.Flush();
  }

  void ShowShapes(bool results_as_before) {
    std::vector<NamedShape> shapes;
    if (const auto text = Ask("plan", {"--json"}, /*runs=*/false)) shapes = ShapesOfPlan(*text);
    const std::string text = ShapeChanges(last_shapes_, shapes, names_);
    console_.Print(Printable(text));
    if (results_as_before && text.empty() && stop_ == 0 && !names_.empty()) console_.Note("no result has changed");
    last_shapes_ = std::move(shapes);
  }

  void ShowTimes() {
    std::optional<BenchReport> times = Measure();
    if (times && !last_times_) console_.Print(fmt::format("time  {}\n", DurationText(times->run.median)));
    if (times && last_times_ && !ChangedTimesText(*last_times_, *times).empty()) {
      // Two processes also differ by where their memory is, so a change must be seen in a second one.
      if (std::optional<BenchReport> again = Measure()) times = std::move(again);
      console_.Print(ChangedTimesText(*last_times_, *times));
    }
    last_times_ = std::move(times);
  }

  // Nothing if a file changes, or if the graph cannot be measured.
  std::optional<BenchReport> Measure() {
    const std::optional<std::string> text = Ask("bench", {"--json", "--seconds=200ms"}, /*runs=*/true);
    if (!text) return std::nullopt;
    Result<BenchReport> report = ReadBenchJson(*text);
    return report.ok() ? std::optional(*std::move(report)) : std::nullopt;
  }

  // What another command prints about the graph. Nothing if it fails, or if a file changes meanwhile.
  std::optional<std::string> Ask(const char* command, std::initializer_list<const char*> more, bool runs) {
    std::vector<std::string> words = WordsFor(command, options_, runs);
    words.insert(words.end(), more.begin(), more.end());
    const std::string file = folder_.path() + "/answer.json";
    const Descriptor output(open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600));
    OwnProcess process;
    if (output.get() < 0 || process.Start(words, -1, output.get()) != 0) return std::nullopt;
    if (Await(process, true, -1, nullptr) != End::kEnded || process.Wait() != 0) return std::nullopt;
    constexpr size_t kLargest = size_t{64} << 20;
    Result<std::string> text = ReadFile(file, kLargest);
    return text.ok() ? std::optional(*std::move(text)) : std::nullopt;
  }

  static constexpr int64_t kLongestMeasured = 2'000'000'000;

  const DevOptions& options_;
  Console& console_;
  const SignalInbox signals_;
  const PrivateFolder folder_;
  WatchedFiles watched_;
  WatchedFiles::Changes pending_;                 // that a run has not seen
  std::vector<std::string> names_;                // of results
  std::optional<std::vector<NamedResult>> last_;  // of the last run that succeeded
  std::vector<NamedShape> last_shapes_;
  std::optional<BenchReport> last_times_;
  std::set<std::string> told_;  // folders of plugins that are not searched
  int64_t built_ns_ = 0;        // when the build was done; 0: nothing was built
  int stop_ = 0;                // the signal that ends it
};

}  // namespace

int RunDev(const DevOptions& options, Console& console) {
  return DevLoop(options, console).Run();
}

}  // namespace opsrun::host
