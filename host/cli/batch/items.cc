// host/cli/batch/items.cc: runs of items.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "host/base/display_text.h"
#include "host/cli/batch/batch.h"
#include "host/cli/measure/measure.h"
#include "host/engine/callable_plan.h"
#include "host/show/render_diagnostics.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostPlans = 64;

TensorRef RefOf(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return {const_cast<void*>(tensor.data()), tensor.dtype(), static_cast<int32_t>(shape.size()), shape.data()};
}

// The tensors one below the other. Requires: they differ in their first size only, and are no strings.
Result<Tensor> JoinRows(const std::vector<const Tensor*>& tensors) {
  Shape shape = tensors[0]->shape();
  shape[0] = 0;
  for (const Tensor* tensor : tensors) shape[0] += tensor->shape()[0];
  Result<Tensor> joined = Tensor::Create(tensors[0]->dtype(), shape);
  if (!joined.ok()) return joined;
  char* to = static_cast<char*>(joined->mutable_data());
  for (const Tensor* tensor : tensors) {
    if (tensor->num_bytes() != 0) std::memcpy(to, tensor->data(), tensor->num_bytes());
    to += tensor->num_bytes();
  }
  return joined;
}

bool JoinsWith(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.dtype() != DType::kString && !a.shape().empty() &&
         a.shape().size() == b.shape().size() &&
         std::equal(a.shape().begin() + 1, a.shape().end(), b.shape().begin() + 1);
}

}  // namespace

// Written piece by piece, since it is half of what a small item costs.
std::string ItemEnd::Text(const BatchBasis& basis, const SourceFile* source) const {
  if (!ran) return fmt::format(R"({{"id":{},"status":"unchanged","stamp":{}}})", JsonString(id), stamp);
  std::string text =
      fmt::format(R"({{"id":{},"status":"{}","seconds":{:.3g},"inputs":"{}","stamp":{},"graph":"{}","plugins":"{}")",
                  JsonString(id), status, seconds, inputs, stamp, basis.graph, basis.plugins);
  if (!results.empty()) text += fmt::format(R"(,"bytes":{},"results":"{}")", bytes, results);
  if (errors.has_errors()) {
    std::string list;
    for (const Diagnostic& d : errors.all()) {
      list += (list.empty() ? "" : ",") + RenderDiagnostic(d, source, {.format = ErrorFormat::kJson});
      list.pop_back();  // the line break
    }
    text += fmt::format(R"(,"errors":[{}])", list);
  }
  return text + (is_stuck ? R"(,"stuck":true})" : "}");
}

std::string IdsText(const char* status, std::span<const BatchItem> items, const BatchBasis& basis) {
  std::string ids, stamps;
  for (const BatchItem& item : items) {
    ids += (ids.empty() ? "" : ",") + JsonString(item.id);
    stamps += fmt::format("{}{}", stamps.empty() ? "" : ",", item.stamp);
  }
  return fmt::format(R"({{"status":"{}","ids":[{}],"stamps":[{}],"graph":"{}","plugins":"{}"}})", status, ids, stamps,
                     basis.graph, basis.plugins);
}

struct ItemRunner::Loaded {
  const BatchItem* item = nullptr;
  std::vector<Tensor> feeds;  // by declared feed
  std::string inputs;         // their digest
  Diagnostics errors;
};

ItemRunner::ItemRunner(const GraphSession& session, const Manifest& manifest, BatchBasis basis, ItemRunOptions options)
    : graph_(session.loaded()),
      manifest_(manifest),
      constants_(session.feeds()),
      mapped_files_(session.mapped_files()),
      basis_(std::move(basis)),
      options_(std::move(options)),
      callable_(graph_, kMostPlans) {
  for (const Step& step : session.plan().steps)
    keeps_state_ = keeps_state_ || (step.op() != nullptr && step.op()->def.stateful());
  for (const Feed* feed : callable_.feeds()) {
    const auto at = std::ranges::find_if(manifest.columns(),
                                         [&](const Feed* each) { return each->name.value == feed->name.value; });
    columns_.push_back(at == manifest.columns().end() ? -1 : static_cast<int>(at - manifest.columns().begin()));
  }
  for (const GraphOutput& output : graph_->graph()->outputs) outputs_.push_back(output.name.value);
}

std::string ItemRunner::FileOf(const std::string& id) const {
  const std::string name = options_.token.empty() ? id : fmt::format(".{}.{}", id, options_.token);
  return fmt::format("{}/{}{}", options_.folder, name, options_.npy ? ".npy" : ".npz");
}

ItemRunner::Loaded ItemRunner::Load(const BatchItem& item) const {
  Loaded loaded{&item, {}, {}, {}};
  Digest digest;
  for (const int column : columns_) {
    if (column < 0) {
      loaded.feeds.push_back(constants_.at(callable_.feeds()[loaded.feeds.size()]->name.value));
      continue;
    }
    std::optional<Tensor> tensor = ReadInput(item, static_cast<size_t>(column), manifest_, loaded.errors);
    loaded.feeds.push_back(tensor ? *std::move(tensor) : Tensor());
    if (tensor) digest.Add(loaded.feeds.back());
  }
  loaded.inputs = digest.Hex();
  return loaded;
}

// Kernels with state begin anew for each item, whatever ran before it.
std::shared_ptr<CallablePlan> ItemRunner::PlanFor(std::span<const TensorRef> feeds, Diagnostics& errors) {
  if (!keeps_state_) return callable_.PlanFor(feeds, errors);
  PlanOptions options;
  const FeedSignature types(feeds);
  for (size_t i = 0; i < feeds.size(); ++i) options.feeds[callable_.feeds()[i]->name.value] = types[i];
  const std::shared_ptr<const PlannedGraph> planned = graph_->Plan(options, errors);
  return planned == nullptr ? nullptr : std::make_shared<CallablePlan>(planned);
}

// The feeds of a run of all items, and the rows of each. Nothing if they do not fit together.
std::optional<std::vector<Tensor>> ItemRunner::Join(std::span<const Loaded> items, std::vector<int64_t>& rows) const {
  std::vector<Tensor> feeds = items[0].feeds;
  rows.assign(items.size(), -1);
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (columns_[i] < 0) continue;
    std::vector<const Tensor*> parts;
    for (size_t k = 0; k < items.size(); ++k) {
      const Tensor& part = items[k].feeds[i];
      if (!JoinsWith(part, items[0].feeds[i]) || (rows[k] >= 0 && rows[k] != part.shape()[0])) return std::nullopt;
      rows[k] = part.shape()[0];
      parts.push_back(&part);
    }
    Result<Tensor> joined = JoinRows(parts);
    if (!joined.ok()) return std::nullopt;
    feeds[i] = *std::move(joined);
  }
  return feeds;
}

// Whether each item alone has a result with a row for each row of its inputs, as far as shapes are known without a run:
// a result that has not may have the right number of rows together by chance.
bool ItemRunner::HasRows(std::span<const Loaded> items, std::span<const int64_t> rows) {
  for (size_t k = 0; k < items.size(); ++k) {
    std::vector<TensorRef> refs;
    for (const Tensor& feed : items[k].feeds) refs.push_back(RefOf(feed));
    Diagnostics errors;
    const std::shared_ptr<CallablePlan> plan = PlanFor(refs, errors);
    if (plan == nullptr) return false;
    for (const PlanOutput& output : plan->plan().outputs) {
      const PlanValue& value = plan->plan().values[output.value];
      if (!value.rank_known || value.shape().empty() || value.shape()[0] != rows[k]) return false;
    }
  }
  return true;
}

// rows: of each item; one: all. Nothing if a result has not one row for each row of the inputs, and after an error.
std::optional<ItemRunner::Results> ItemRunner::Split(std::span<const CallOutput> outputs, std::span<const int64_t> rows,
                                                     Diagnostics& errors) const {
  const int64_t all_rows = std::accumulate(rows.begin(), rows.end(), int64_t{0});
  Results results(rows.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const CallOutput& output = outputs[i];
    Shape shape(output.shape, output.shape + output.rank);
    if (rows.size() > 1 && (shape.empty() || shape[0] != all_rows || output.dtype == DType::kString))
      return std::nullopt;
    const char* from = static_cast<const char*>(output.data);
    for (size_t k = 0; k < rows.size(); ++k) {
      if (rows.size() > 1) shape[0] = rows[k];
      Result<Tensor> result = Tensor::CopyOf(output.dtype, shape, from);
      if (!result.ok()) {
        graph_->engine().ExplainLimit(
            errors.Error("D102", fmt::format("output '{}': {}", outputs_[i], result.status().message())));
        return std::nullopt;
      }
      from += result->num_bytes();
      results[k].push_back(*std::move(result));
    }
  }
  return results;
}

void ItemRunner::Explain(const CallablePlan& plan, const RunFailure& failure, bool timed_out,
                         Diagnostics& errors) const {
  Diagnostic d = failure.step == CallablePlan::kNoStep ? MakeError("D102", failure.status.message())
                                                       : DescribeFailure(plan.plan(), failure);
  if (failure.status.code() == OPSRUN_RESOURCE_EXHAUSTED) graph_->engine().ExplainLimit(d);
  if (timed_out && failure.step != CallablePlan::kNoStep) {
    d.code = Code("R403");
    d.message = fmt::format("stopped by --item-timeout after {:g} s while node '{}' was running",
                            static_cast<double>(options_.timeout_ms) / 1000,
                            plan.plan().NodeName(plan.plan().steps[failure.step]));
    d.help = {"raise --item-timeout, or remove it"};
  }
  errors.all().push_back(std::move(d));
}

// Nothing if the items cannot run together, or after an error.
std::optional<ItemRunner::Results> ItemRunner::RunTogether(std::span<const Loaded> items, Diagnostics& errors,
                                                           double& seconds) {
  std::vector<int64_t> rows(1);
  const std::optional<std::vector<Tensor>> feeds = items.size() == 1 ? items[0].feeds : Join(items, rows);
  if (!feeds || (items.size() > 1 && !HasRows(items, rows))) return std::nullopt;
  std::vector<TensorRef> refs;
  for (const Tensor& feed : *feeds) refs.push_back(RefOf(feed));
  const std::shared_ptr<CallablePlan> plan = PlanFor(refs, errors);
  if (plan == nullptr) return std::nullopt;
  std::vector<CallOutput> outputs(outputs_.size());
  const int64_t begin = NowNs();
  std::optional<RunFailure> failure;
  bool timed_out = false;
  if (options_.timeout_ms == 0) {
    failure = plan->Run(refs, outputs, {});
  } else {
    const StopSignal::Time deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options_.timeout_ms);
    const StopSignal stop(nullptr, deadline);
    const auto running = Note(items, begin);
    failure = plan->Run(refs, outputs, {.stop = &stop});
    timed_out = stop.timed_out();
    // A kernel that does not ask whether it is to stop.
    const auto last = static_cast<uint32_t>(plan->plan().steps.size());
    if (timed_out && !failure && last > 0)
      failure = RunFailure{.step = last - 1, .status = {OPSRUN_CANCELLED, "too late"}};
    const std::lock_guard<std::mutex> lock(mutex_);
    running_.erase(running);
  }
  seconds = static_cast<double>(NowNs() - begin) / 1e9 / static_cast<double>(items.size());
  if (!failure) return Split(outputs, rows, errors);
  Explain(*plan, *failure, timed_out, errors);
  return std::nullopt;
}

ItemRunner::Running::iterator ItemRunner::Note(std::span<const Loaded> items, int64_t begin) {
  std::vector<BatchItem> noted;
  for (const Loaded& each : items) noted.push_back(*each.item);
  const std::lock_guard<std::mutex> lock(mutex_);
  return running_.emplace(begin, std::move(noted));
}

std::vector<BatchItem> ItemRunner::Overdue(uint64_t grace_ms) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool overdue =
      !running_.empty() && MillisecondsSince(running_.begin()->first) >
                               static_cast<double>(options_.timeout_ms) + static_cast<double>(grace_ms);
  return overdue ? running_.begin()->second : std::vector<BatchItem>();
}

void ItemRunner::Write(const Loaded& item, std::vector<Tensor> results, ItemEnd& end) const {
  if (const Status unchanged = mapped_files_.Check(); !unchanged.ok()) {
    end.errors.Error("F201", unchanged.message()).help = {kHelpReplaceFile};
    return;
  }
  Digest digest;
  std::vector<NpzEntry> entries;
  for (size_t i = 0; i < results.size(); ++i) {
    digest.Add(outputs_[i]);
    digest.Add(results[i]);
    if (!options_.npy) entries.push_back({outputs_[i], std::move(results[i])});
  }
  const std::string path = FileOf(item.item->id);
  Result<AtomicFile> file = options_.npy ? WriteNpyAside(path, results[0], false) : WriteNpzAside(path, entries, false);
  // The journal has the size, by which a file is known that the machine lost before it was on the disk.
  const Status written = file.ok() ? file->Commit() : file.status();
  if (!written.ok()) {
    end.errors.Error("R501", written.message()).help = {"make room, or use another directory: --out"};
    end.unwritten = true;
    return;
  }
  end.bytes = file->size();
  if (!options_.is_only)
    std::remove(fmt::format("{}/{}{}", options_.folder, item.item->id, options_.npy ? ".npz" : ".npy").c_str());
  end.results = digest.Hex();
}

ItemEnd ItemRunner::Crashed(const BatchItem& item) const {
  ItemEnd end{.id = item.id, .stamp = item.stamp, .status = "crashed"};
  end.errors.Error("R406", fmt::format("opsrun ended unexpectedly twice while item '{}' was running", item.id)).help = {
      "run the graph on its inputs alone: a crash is then reported with its node"};
  return end;
}

ItemEnd ItemRunner::TimedOut(const BatchItem& item) const {
  ItemEnd end{.id = item.id, .stamp = item.stamp, .status = "timeout", .is_stuck = true};
  end.errors
      .Error("R403", fmt::format("item '{}' was stopped by --item-timeout after {:g} s, and its kernel did not return",
                                 item.id, static_cast<double>(options_.timeout_ms) / 1000))
      .help = {"raise --item-timeout, or remove it"};
  return end;
}

// Whether the results in the folder are those of these inputs.
bool ItemRunner::IsSame(const Loaded& item, const ItemState& state) const {
  const std::optional<FileState> result = StateOf(FileOf(item.item->id).c_str());
  return state.is_ok && state.same_graph && state.same_plugins && !state.is_open && result &&
         result->size == state.bytes && item.inputs == std::string_view(state.inputs.data(), state.inputs.size());
}

std::vector<ItemEnd> ItemRunner::Run(std::span<const BatchItem> items, std::span<const ItemState* const> known) {
  std::vector<Loaded> loaded;
  std::vector<size_t> to_run;
  std::vector<ItemEnd> ends(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    loaded.push_back(Load(items[i]));
    ends[i] = {.id = items[i].id, .inputs = loaded[i].inputs, .stamp = items[i].stamp, .errors = loaded[i].errors};
    if (known[i] != nullptr && IsSame(loaded[i], *known[i])) {
      ends[i].ran = false;
    } else if (!loaded[i].errors.has_errors()) {
      to_run.push_back(i);
    }
  }
  Diagnostics errors;
  double seconds = 0;
  std::optional<Results> results;
  if (to_run.size() > 1 && !keeps_state_) {
    std::vector<Loaded> together;
    for (const size_t i : to_run) together.push_back(loaded[i]);
    results = RunTogether(together, errors, seconds);
  }
  for (size_t k = 0; k < to_run.size(); ++k) {
    const Loaded& item = loaded[to_run[k]];
    ItemEnd& end = ends[to_run[k]];
    std::optional<Results> alone;
    // After an error of several, each runs alone, so that the others get their results.
    if (!results) alone = RunTogether({&item, 1}, end.errors, seconds);
    end.seconds = seconds;
    if (results || alone) Write(item, results ? std::move((*results)[k]) : std::move((*alone)[0]), end);
  }
  for (ItemEnd& end : ends) {
    if (end.errors.has_errors()) end.status = end.errors.all().front().code == Code("R403") ? "timeout" : "failed";
  }
  return ends;
}

}  // namespace opsrun::host
