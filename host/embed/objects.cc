// SPDX-License-Identifier: Apache-2.0
#include "host/embed/objects.h"

#include <fmt/format.h>

#include <utility>

#include "host/show/render_diagnostics.h"

namespace opsrun::host {
namespace {

const opsrun_str* ListOf(const std::vector<std::string>& texts, opsrun_report& report) {
  std::vector<opsrun_str>& list = report.lists.emplace_back();
  for (const std::string& text : texts) list.push_back(StrOf(text));
  return list.data();
}

const opsrun_label* LabelsOf(const std::vector<Label>& also, opsrun_report& report) {
  std::vector<opsrun_label>& labels = report.labels.emplace_back();
  for (const Label& label : also) labels.push_back({PlaceOf(label.span), StrOf(label.text)});
  return labels.data();
}

opsrun_diagnostic ViewOf(const Diagnostic& d, opsrun_report& report) {
  const bool error = d.severity == Diagnostic::Severity::kError;
  return {.size = sizeof(opsrun_diagnostic),
          .severity = error ? OPSRUN_SEVERITY_ERROR : OPSRUN_SEVERITY_WARNING,
          .exit_status = error ? d.code.exit() : kExitOk,
          .n_also = CountOf(d.also),
          .n_help = CountOf(d.help),
          .n_notes = CountOf(d.notes),
          .code = StrOf(d.code.text()),
          .message = StrOf(d.message),
          .file = StrOf(d.file),
          .where = PlaceOf(d.where),
          .label = StrOf(d.label),
          .also = LabelsOf(d.also, report),
          .help = ListOf(d.help, report),
          .notes = ListOf(d.notes, report),
          .suggestion = StrOf(d.suggestion)};
}

int32_t CodeOf(const Diagnostic& d, int32_t otherwise) {
  if (d.code == "G000" || d.code == "G201") return OPSRUN_NOT_FOUND;
  if (d.code == "K301" || d.code == "K304") return OPSRUN_UNIMPLEMENTED;
  if (d.code == "D201") return OPSRUN_UNAVAILABLE;
  switch (d.code.exit()) {
    case kExitGraph:
      return OPSRUN_INVALID_ARGUMENT;
    case kExitPlugins:
      return OPSRUN_FAILED_PRECONDITION;
    case kExitDevice:
      return OPSRUN_RESOURCE_EXHAUSTED;
    default:
      return otherwise;
  }
}

}  // namespace

int32_t Report(Diagnostics diagnostics, std::shared_ptr<const SourceFile> source, opsrun_report** report,
               int32_t otherwise) {
  int32_t code = OPSRUN_OK;
  for (const Diagnostic& d : diagnostics.all()) {
    if (code == OPSRUN_OK && d.severity == Diagnostic::Severity::kError) code = CodeOf(d, otherwise);
  }
  if (report == nullptr) return code;
  *report = nullptr;
  if (diagnostics.all().empty()) return code;
  auto made = std::make_unique<opsrun_report>();
  made->diagnostics = std::move(diagnostics);
  made->source = std::move(source);
  for (const Diagnostic& d : made->diagnostics.all()) made->views.push_back(ViewOf(d, *made));
  *report = made.release();
  return code;
}

void CopyGrowing(const Growing& growing, const void* given, uint32_t size, void* known) {
  constexpr uint32_t kMost = 4096;  // a size that was never set must not make this read far
  const uint32_t latest = growing.latest;
  const bool is_of_a_level = size < latest ? size == growing.level_1 : size % 8 == 0;
  if (size > kMost || !is_of_a_level) {
    RefuseArgument(OPSRUN_INVALID_ARGUMENT,
                   fmt::format("{}.size is {}, but this struct has {} bytes", growing.name, size, latest),
                   fmt::format("set it to sizeof({})", growing.name));
  }
  const auto* const bytes = static_cast<const char*>(given);
  if (std::any_of(bytes + std::min(size, latest), bytes + size, [](char byte) { return byte != 0; })) {
    RefuseArgument(
        OPSRUN_UNIMPLEMENTED,
        fmt::format("{} has fields that opsrun {} does not know, and they are not zero", growing.name, OPSRUN_VERSION),
        "use a newer opsrun, or leave these fields out");
  }
  std::memcpy(known, given, std::min(size, latest));
}

void RequireFlags(const char* what, uint64_t flags, uint64_t known) {
  if ((flags & ~known) == 0) return;
  RefuseArgument(OPSRUN_INVALID_ARGUMENT,
                 fmt::format("{} is {:#x}, of which {:#x} is not known", what, flags, flags & ~known),
                 "set what the header does not name to zero");
}

int32_t ReportStatus(Code code, const Status& status, opsrun_report** report, const std::string& help) {
  Diagnostics diagnostics;
  Diagnostic& error = diagnostics.Error(code, status.message());
  if (!help.empty()) error.help.push_back(help);
  Report(std::move(diagnostics), nullptr, report);
  return status.code();
}

int32_t ReportBadArgument(const BadArgument& bad, opsrun_report** report) {
  return ReportStatus("F306", Status(bad.code, bad.text), report, bad.help);
}

}  // namespace opsrun::host

extern "C" {

uint32_t opsrun_report_count(const opsrun_report* report) {
  return report == nullptr ? 0 : CountOf(report->views);
}

const opsrun_diagnostic* opsrun_report_get(const opsrun_report* report, uint32_t i) {
  return i < opsrun_report_count(report) ? &report->views[i] : nullptr;
}

opsrun_str opsrun_report_text(opsrun_report* report, int32_t format) {
  using namespace opsrun::host;
  if (report == nullptr || format < OPSRUN_FORMAT_HUMAN || format > OPSRUN_FORMAT_JSON) return {nullptr, 0};
  std::string& text = report->texts[format];
  Guarded(report, nullptr, [&] {
    constexpr ErrorFormat kFormats[] = {ErrorFormat::kHuman, ErrorFormat::kShort, ErrorFormat::kJson};
    if (text.empty()) {
      text = RenderDiagnostics(report->diagnostics, report->source.get(), {kFormats[format], false, false});
    }
    return OPSRUN_OK;
  });
  return StrOf(text);
}

void opsrun_report_free(opsrun_report* report) {
  delete report;
}

opsrun_str opsrun_text_get(const opsrun_text* text) {
  return text == nullptr ? opsrun_str{nullptr, 0} : opsrun::host::StrOf(text->text);
}

void opsrun_text_free(opsrun_text* text) {
  delete text;
}

}  // extern "C"

namespace opsrun::host {

void TensorInfos::Add(std::string name, DType dtype, bool rank_known, Shape shape) {
  Info& added = *infos_.emplace_back(std::make_unique<Info>());
  added.name = std::move(name);
  added.shape = std::move(shape);
  added.info = {StrOf(added.name), DTypeNumber(dtype), rank_known ? static_cast<int32_t>(added.shape.size()) : -1,
                rank_known ? added.shape.data() : nullptr};
}

int32_t TensorInfos::Find(opsrun_str name) const {
  const std::string_view wanted(name.data, name.size);
  for (size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i]->name == wanted) return static_cast<int32_t>(i);
  }
  return -1;
}

std::vector<OpInput> ReadInputs(std::span<const opsrun_op_input> inputs, bool without_shapes,
                                Diagnostics& diagnostics) {
  std::vector<OpInput> list;
  for (const opsrun_op_input& input : inputs) {
    RequireZero("opsrun_op_input.reserved", input.reserved);
    if (input.list > OPSRUN_LIST_EMPTY) RequireFlags("opsrun_op_input.list", input.list, 0);
    OpInput& added = list.emplace_back(OpInput{TextOf(input.arg), input.list != 0});
    added.empty = input.list == OPSRUN_LIST_EMPTY;
    if (added.empty) continue;
    added.type.dtype = DTypeFromNumber(input.dtype);
    const bool handle = without_shapes && added.type.dtype == DType::kResource;
    const int32_t rank = without_shapes ? 0 : input.rank;
    std::optional<int64_t> elements;
    const Status status = handle ? OkStatus() : CheckType(added.type.dtype, rank, input.shape, &elements);
    if (!status.ok()) {
      ReportInput(fmt::format("input '{}'", added.arg), status, diagnostics);
    } else if (rank > 0) {
      added.type.shape.assign(input.shape, input.shape + rank);
    }
  }
  return list;
}

LoadOptions OptionsOf(const opsrun_graph_options* given, uint32_t flags) {
  const opsrun_graph_options known = Known(given);
  RequireFlags("opsrun_graph_options.flags", known.flags, flags);
  return {.strict = (known.flags & OPSRUN_GRAPH_STRICT) != 0,
          .device = TextOf(known.device),
          .lock = (known.flags & OPSRUN_GRAPH_FROZEN) != 0 ? LockUse::kFrozen : LockUse::kIfThere};
}

KernelWish WishOf(const opsrun_prepare_options* given) {
  const opsrun_prepare_options known = Known(given);
  RequireZero("opsrun_prepare_options.flags", known.flags);
  return {TextOf(known.device), TextOf(known.label)};
}

int32_t TakeGraph(size_t cached_plans, std::shared_ptr<LoadedGraph> loaded, opsrun_graph** graph,
                  opsrun_report** report) {
  std::shared_ptr<const PlannedGraph> planned;
  if (loaded->graph() != nullptr) planned = loaded->Plan();
  const int32_t code = Report(loaded->diagnostics(), *loaded, report);
  if (code != OPSRUN_OK) return code;
  auto made = std::make_unique<opsrun_graph>(loaded, cached_plans);
  for (const Feed* feed : made->callable.feeds()) {
    made->feeds.Add(feed->name.value, feed->dtype->value, feed->shape.has_value(),
                    feed->shape ? feed->shape->value : Shape());
  }
  for (const PlanOutput& output : planned->plan().outputs) {
    const PlanValue& value = planned->plan().values[output.value];
    made->outputs.Add(output.output->name.value, value.dtype, value.rank_known, value.shape());
  }
  *graph = made.release();
  return OPSRUN_OK;
}

int32_t Report(Diagnostics diagnostics, const LoadedGraph& about, opsrun_report** report) {
  const bool silent = diagnostics.all().empty();
  return Report(std::move(diagnostics), silent ? nullptr : about.share_source(), report);
}

}  // namespace opsrun::host

opsrun_prepared::opsrun_prepared(std::shared_ptr<opsrun::host::PreparedOp> made) : op(std::move(made)) {
  const opsrun::host::Plan& plan = op->plan->plan();
  for (size_t i = 0; i < op->outputs.size(); ++i) {
    const opsrun::host::PlanValue& value = plan.values[plan.outputs[i].value];
    outputs.Add(op->outputs[i], value.dtype, value.rank_known, value.shape());
  }
}
