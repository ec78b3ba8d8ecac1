// host/cli/batch/batch.cc: runs all items that are to run, and tells how it goes.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/batch/batch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "host/base/display_text.h"
#include "host/cli/measure/measure.h"
#include "host/cli/progress.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

constexpr double kMsBetweenLines = 60'000;  // of progress, where there is no terminal
constexpr size_t kMostShown = 20;           // failed items

class Batch {
 public:
  Batch(GraphSession& session, const BatchSettings& settings, Manifest& manifest, Journal& journal, ItemRunner& runner,
        const Todo& todo, Console& console)
      : session_(session),
        settings_(settings),
        manifest_(manifest),
        journal_(journal),
        runner_(runner),
        todo_(todo),
        console_(console),
        to_run_(todo.ToRun()) {}

  int Run() {
    std::optional<StopCause> cause;
    if (todo_.Count(Why::kCrashed) > 0 && !RecordCrashes()) return kExitFailed;
    if (to_run_ > 0) {  // otherwise the manifest need not be read once more
      const StopWatcher::Runs runs(session_.watcher(), session_.stop(), Hooks());
      // What may have ended the program runs alone, so that nothing else is suspected if it does so again.
      if (todo_.Count(Why::kInterrupted) > 0) {
        RunAll(1, 1, true);
        if (!Rewind()) return kExitFailed;
      }
      RunAll(settings_.concurrency, settings_.group, false);
      cause = session_.watcher().cause();
    }
    bar_.Clear();
    FlushFolder();
    return Report(cause);
  }

 private:
  bool Rewind() {
    const Status begun = manifest_.Rewind();
    if (!begun.ok()) console_.Report(MakeError("R509", begun.message(), "leave it unchanged while a batch runs"));
    return begun.ok();
  }

  // Items that were running twice when the program ended.
  bool RecordCrashes() {
    Diagnostics ignored;
    bool is_end = false;
    while (std::optional<BatchItem> item = manifest_.Next(ignored, is_end, nullptr)) {
      if (todo_.Of(*item) != Why::kCrashed) continue;
      item->stamp = StampOf(*item);
      Keep(journal_.Add({runner_.RecordOf(runner_.Crashed(*item))}));
      console_.Note(fmt::format(
          "item '{}' was running both times when opsrun ended unexpectedly: it is recorded as crashed", item->id));
    }
    return Rewind();
  }

  StopWatcher::Hooks Hooks() {
    StopWatcher::Hooks hooks;
    hooks.waits = true;
    hooks.can_be_asked = [] { return true; };
    hooks.give_up = [this](const StopCause& cause) {
      EndSoon(kExitSignal + cause.signal);
      RecordStopped({});
      bar_.Clear();
      console_.Note("stopped; the items that were running run again next time");
      EndProgram(kExitSignal + cause.signal);
    };
    hooks.tick = [this] { Tick(); };
    return hooks;
  }

  void Tick() {
    if (settings_.item_timeout_ms != 0) EndStuck(runner_.Overdue(kGraceMs));
    const std::lock_guard<std::mutex> lock(telling_);
    const double ms = MillisecondsSince(begun_ns_);
    if (bar_.IsWanted()) {
      if (ms > 1000)
        bar_.Show(done_, to_run_, ms / 1000, "items",
                  fmt::format(", {:.0f} items/s, {} failed", 1000.0 * static_cast<double>(done_) / ms, failed_.load()));
    } else if (ms >= next_line_ms_) {
      next_line_ms_ += kMsBetweenLines;
      console_.Note(fmt::format("{} of {} items, {:.0f} items/s, {} failed", done_.load(), to_run_,
                                1000.0 * static_cast<double>(done_) / ms, failed_.load()));
    }
  }

  // A kernel does not return. Of several items, the one to blame shows when they run alone.
  void EndStuck(const std::vector<BatchItem>& items) {
    if (items.empty()) return;
    EndSoon(kExitTimeout);
    bar_.Clear();
    const ItemEnd end = runner_.TimedOut(items[0]);
    if (items.size() == 1) (void)journal_.AddLast({runner_.RecordOf(end)});
    RecordStopped(items);
    for (const Diagnostic& d : end.errors.all()) console_.Report(d, session_.loaded()->source());
    console_.Note("the same command goes on with the other items");
    EndProgram(kExitTimeout);
  }

  // The items that run now, except `guilty`, are not to blame that the program ends.
  void RecordStopped(const std::vector<BatchItem>& guilty) {
    const std::lock_guard<std::mutex> lock(running_mutex_);
    std::vector<BatchItem> stopped;
    for (const auto& [first, items] : running_) {
      if (guilty.empty() || first != guilty[0].row) stopped.insert(stopped.end(), items.begin(), items.end());
    }
    if (!stopped.empty()) (void)journal_.AddLast({runner_.RecordOf("stopped", stopped)});
  }

  // The next items to run; empty at the end.
  std::vector<BatchItem> Take(uint32_t most, bool interrupted) {
    const std::lock_guard<std::mutex> lock(taking_);
    std::vector<BatchItem> items;
    Diagnostics ignored;
    bool is_end = false;
    while (items.size() < most && !stops_ && !session_.stop().stopped()) {
      std::optional<BatchItem> item = manifest_.Next(ignored, is_end, nullptr);
      if (!item) break;
      const Why why = todo_.Of(*item);
      if (!Runs(why) || (why == Why::kInterrupted) != interrupted) continue;
      item->stamp = StampOf(*item);
      items.push_back(*std::move(item));
    }
    return items;
  }

  void RunAll(uint32_t callers, uint32_t group, bool interrupted) {
    callers = static_cast<uint32_t>(std::min<size_t>(callers, (to_run_ + group - 1) / group));
    const auto call = [this, group, interrupted] {
      std::vector<std::string> records;
      for (std::vector<BatchItem> items; !(items = Take(group, interrupted)).empty();) RunSome(items, records);
      Keep(journal_.AddLast(records));
    };
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < callers; ++i) {
      std::thread thread = StartThread([&] {
        PrepareThread();
        call();
      });
      if (!thread.joinable()) break;
      threads.push_back(std::move(thread));
    }
    call();
    for (std::thread& thread : threads) thread.join();
  }

  // records: of what this thread ran before, which are written with the next; receives those of the items.
  void RunSome(std::span<const BatchItem> items, std::vector<std::string>& records) {
    std::vector<const ItemState*> known;
    for (const BatchItem& item : items)
      known.push_back(todo_.Of(item) == Why::kInputs ? journal_.Find(item.id) : nullptr);
    {
      const std::lock_guard<std::mutex> lock(running_mutex_);
      running_[items[0].row] = items;
    }
    records.push_back(runner_.RecordOf("running", items));
    const bool kept = Keep(journal_.Add(records));
    if (kept) {
      records.clear();
    } else {
      records.pop_back();
    }
    std::vector<ItemEnd> ends = kept ? runner_.Run(items, known) : std::vector<ItemEnd>();
    for (size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].unwritten) {
        records.push_back(runner_.RecordOf("stopped", items.subspan(i, 1)));
        StopBroken(ends[i].errors.all().front());
        continue;
      }
      records.push_back(runner_.RecordOf(ends[i]));
      ++done_;
      if (!ends[i].ran) ++unchanged_;
      if (ends[i].errors.has_errors()) Fail(items[i], ends[i].errors);
    }
    const std::lock_guard<std::mutex> lock(running_mutex_);
    running_.erase(items[0].row);
  }

  bool Keep(const Status& status) {
    if (status.ok()) return true;
    StopBroken(MakeError("R509", status.message(),
                         "results without a record are made again: make room, and run the same command"));
    return false;
  }

  void StopBroken(const Diagnostic& d) {
    const std::lock_guard<std::mutex> lock(telling_);
    stops_ = true;
    if (broken_.exchange(true)) return;
    bar_.Clear();
    console_.Report(d);
  }

  void Fail(const BatchItem& item, Diagnostics& errors) {
    const std::lock_guard<std::mutex> lock(telling_);
    const size_t failed = ++failed_;
    const size_t most = settings_.max_failures != 0 ? settings_.max_failures : settings_.keep_going ? 0 : 1;
    if (most != 0 && failed >= most) stops_ = true;
    if (failed > kMostShown) return;
    bar_.Clear();
    const std::string place = item.place.line == 0 ? "" : fmt::format(", {}:{}", manifest_.path(), item.place.line);
    for (Diagnostic& d : errors.all()) {
      d.notes.push_back(fmt::format("item '{}'{}", item.id, place));
      console_.Report(d, session_.loaded()->source());
    }
    if (failed == kMostShown) console_.Note("the journal has the errors of further items");
  }

  // Names and contents that are in memory only.
  void FlushFolder() const {
    const Descriptor folder(open(settings_.out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0) syncfs(folder.get());
  }

  int Report(const std::optional<StopCause>& cause) {
    const int64_t ns = NowNs() - begun_ns_;
    const size_t failed = failed_ + todo_.Failed();
    const size_t ours = todo_.whys.size() - todo_.Count(Why::kOther);
    const size_t ok = todo_.Count(Why::kFinished) + done_ - failed_;
    if (settings_.json) {
      console_.Print(JsonDocument({{"items", ours},
                                   {"ok", ok},
                                   {"failed", failed},
                                   {"ran", done_.load() - unchanged_.load()},
                                   {"seconds", static_cast<double>(ns) / 1e9},
                                   {"complete", ok + failed == ours}}));
    }
    if (cause) {
      console_.Note(fmt::format("stopped by {}: {} of {} items are finished; the same command goes on",
                                cause->signal == SIGINT ? "Ctrl-C" : "SIGTERM", ok, ours));
      return kExitSignal + cause->signal;
    }
    if (broken_) return kExitFailed;
    if (done_ < to_run_ && !stops_) {
      return console_.Report(MakeError(
          "R509", fmt::format("{} of {} were run: the manifest has changed", done_.load(), Several(to_run_, "item")),
          "leave it unchanged while a batch runs; the same command goes on"));
    }
    if (failed > 0) {
      return console_.Report(
          MakeError("R510",
                    fmt::format("{} of {} failed{}", failed, Several(ours, "item"),
                                ok + failed < ours ? fmt::format(", and {} did not run", ours - ok - failed) : ""),
                    fmt::format("their errors are in {}; --retry-failed runs them again{}", journal_.path(),
                                settings_.keep_going ? "" : ", --keep-going runs the others")));
    }
    const double seconds = static_cast<double>(std::max<int64_t>(ns, 1)) / 1e9;
    console_.Ok(to_run_ == 0 ? "nothing to run"
                             : fmt::format("{} in {}, {:.0f} items/s", Several(done_, "item"),
                                           DurationText(seconds * 1e9), static_cast<double>(done_) / seconds));
    return kExitOk;
  }

  GraphSession& session_;
  const BatchSettings& settings_;
  Manifest& manifest_;
  Journal& journal_;
  ItemRunner& runner_;
  const Todo& todo_;
  Console& console_;
  const size_t to_run_;
  const int64_t begun_ns_ = NowNs();
  double next_line_ms_ = kMsBetweenLines;
  ProgressBar bar_;
  std::mutex taking_;                                     // guards the manifest
  std::mutex telling_;                                    // guards the console and the bar
  std::mutex running_mutex_;                              // guards running_
  std::map<size_t, std::span<const BatchItem>> running_;  // by the row of the first
  std::atomic<size_t> done_{0}, failed_{0}, unchanged_{0};
  std::atomic<bool> stops_{false}, broken_{false};
};

}  // namespace

int RunToDo(GraphSession& session, const BatchSettings& settings, Manifest& manifest, Journal& journal,
            ItemRunner& runner, const Todo& todo, Console& console) {
  return Batch(session, settings, manifest, journal, runner, todo, console).Run();
}

}  // namespace opsrun::host
