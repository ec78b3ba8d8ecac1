// host/show/report_page.cc: puts the parts of a report into its page.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "host/base/display_text.h"
#include "host/show/graph_dot.h"
#include "host/show/report.h"

namespace opsrun::host {
namespace {

constexpr size_t kMostRows = 50;
constexpr size_t kMostPlanLines = 600;

// What a bar shows, and the sum of further ones.
struct Bar {
  double ns = 0;
  std::vector<std::string> cells;  // already escaped
};

std::string Bytes(size_t count) {
  return BytesText(static_cast<double>(count));
}

std::string Row(const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += "<td>" + cell + "</td>";
  return row + "</tr>\n";
}

std::string Head(const std::vector<std::string>& titles) {
  std::string row = "<tr>";
  for (const std::string& title : titles) row += "<th>" + title + "</th>";
  return row + "</tr>\n";
}

std::string Table(const std::string& head, const std::string& rows) {
  return "<div class=\"scroll\"><table><thead>" + head + "</thead><tbody>\n" + rows + "</tbody></table></div>\n";
}

// At most kMostRows, and how many there are besides.
std::string Rows(const std::vector<std::vector<std::string>>& rows, const char* what) {
  std::string text;
  for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) text += Row(rows[i]);
  if (rows.size() > kMostRows) text += Row({fmt::format("{} more {}", rows.size() - kMostRows, what)});
  return text;
}

std::string CodeText(std::string_view text, size_t most = 80) {
  return "<code>" + Safe(text, most) + "</code>";
}

class Page {
 public:
  explicit Page(const ReportFacts& facts)
      : facts_(facts), plan_(facts.plan.plan), graph_(plan_.graph()), names_(FactsOfValues(facts.plan)) {}

  std::string Write() const {
    const std::map<std::string_view, std::string> parts = {{"title", Safe(Title())},
                                                           {"about", Safe(About(), 400)},
                                                           {"figures", Figures()},
                                                           {"advice", AdviceList()},
                                                           {"picture", Picture()},
                                                           {"ops", Ops()},
                                                           {"nodes", Nodes()},
                                                           {"clock", ClockText()},
                                                           {"memory", Memory()},
                                                           {"plan", PlanLines()},
                                                           {"setup", Setup()},
                                                           {"plugins", Plugins()},
                                                           {"tensors", FeedsAndOutputs()}};
    std::string page;
    std::string_view rest = ReportTemplate();
    for (size_t at = 0; (at = rest.find("{{")) != rest.npos;) {
      const size_t end = rest.find("}}", at);
      page.append(rest.substr(0, at)) += parts.at(rest.substr(at + 2, end - at - 2));
      rest.remove_prefix(end + 2);
    }
    return page.append(rest);
  }

 private:
  std::string Title() const {
    const std::string& path = graph_.source->path;
    return graph_.name.empty() ? path.substr(path.rfind('/') + 1) : graph_.name;
  }

  std::string About() const {
    return fmt::format("{}, {}, {}; {}", Several(graph_.nodes.size(), "node"), Several(graph_.feeds.size(), "feed"),
                       Several(graph_.outputs.size(), "output"), Several(facts_.threads, "thread"));
  }

  std::string Figures() const {
    const auto figure = [](const std::string& value, const std::string& name) {
      return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
    };
    size_t memory = 0;
    for (const PlanDevice& device : plan_.devices) memory += device.arena_bytes;
    return figure(DurationText(facts_.median), "a run, median") +
           figure(DurationText(facts_.p99), facts_.batch > 1 ? "p99, means of batches" : "p99") +
           figure(host::CountText(facts_.median > 0 ? 1e9 / facts_.median : 0), "runs a second") +
           figure(Bytes(memory), "planned memory");
  }

  std::string AdviceList() const {
    std::string list;
    for (const auto& [title, text] : AdviceOn(facts_))
      list += fmt::format("<li><b>{}</b> {}</li>\n", Safe(title, 200), Safe(text, 1000));
    return list.empty() ? "<p>Nothing stands out.</p>\n" : "<ul class=\"advice\">\n" + list + "</ul>\n";
  }

  // Without what precedes the element in a document.
  std::string Picture() const {
    const size_t begin = facts_.picture.find("<svg");
    if (begin == std::string::npos) return "<p>" + Safe(facts_.no_picture, 400) + "</p>\n";
    return "<input type=\"checkbox\" id=\"fit\" checked><label for=\"fit\">fit to the window</label>\n"
           "<div class=\"scroll picture\">" +
           facts_.picture.substr(begin) + "</div>\n";
  }

  // Slowest first; further bars are one row.
  std::string Bars(std::vector<Bar> bars, const std::vector<std::string>& titles, const char* what) const {
    std::ranges::stable_sort(bars, std::ranges::greater(), &Bar::ns);
    if (bars.size() > kMostRows + 1) {
      Bar rest{0, std::vector<std::string>(titles.size())};
      rest.cells[0] = fmt::format("{} more {}", bars.size() - kMostRows, what);
      for (size_t i = kMostRows; i < bars.size(); ++i) rest.ns += bars[i].ns;
      bars.resize(kMostRows);
      bars.push_back(std::move(rest));
    }
    const double longest = bars.empty() ? 1 : std::max(bars.front().ns, bars.back().ns);
    std::string rows;
    for (Bar& bar : bars) {
      const double share = facts_.times.Share(bar.ns);
      bar.cells.push_back(DurationText(bar.ns));
      bar.cells.push_back(fmt::format(
          "<span class=\"share\">{}</span><span class=\"bar\" style=\"width:{:.1f}%;background:{}\"></span>",
          ShareText(share), longest > 0 ? 70 * bar.ns / longest : 0, HeatShade(share).fill));
      rows += Row(bar.cells);
    }
    std::vector<std::string> all = titles;
    all.insert(all.end(), {"time", "share"});
    return Table(Head(all), rows);
  }

  std::string Nodes() const {
    std::vector<Bar> bars;
    const auto add = [&](const Step& step, std::string_view name, std::string_view op, double ns) {
      std::string outputs;
      constexpr size_t kMostOutputs = 3;
      for (size_t i = 0; i < std::min(step.outputs.size(), kMostOutputs); ++i)
        outputs += (i == 0 ? "" : ", ") + ValueText(*names_[step.outputs[i]].resolved);
      if (step.outputs.size() > kMostOutputs) outputs += ", \u2026";
      bars.push_back(
          {ns, {CodeText(name, 44), CodeText(op, 44), Safe(plan_.devices[step.device].name), Safe(outputs)}});
    };
    ForEachTimed([&](const Step& step, double ns) {
      const bool is_round_trip = step.more->part != nullptr;
      add(step, is_round_trip ? RoundTripName(plan_, step) : FusedNames(plan_, step),
          is_round_trip ? kRoundTrip : FusedOps(step), ns);
    });
    return Bars(std::move(bars), {"node", "op", "device", "result"}, "nodes");
  }

  // Calls fn(step, ns) for the steps of the plan and those of isolated nodes, each with its own time.
  template <typename Fn>
  void ForEachTimed(Fn fn) const {
    auto isolated = facts_.isolated.begin();
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      double own = facts_.steps[s];
      for (const Step& member :
           step.more->part != nullptr ? std::span<const Step>(step.more->part->members) : std::span<const Step>()) {
        own -= *isolated;
        fn(member, *isolated++);
      }
      fn(step, own);
    }
  }

  std::string Ops() const {
    std::map<std::pair<const Plugin*, std::string_view>, std::pair<size_t, double>> ops;
    ForEachTimed([&](const Step& step, double own) {
      const std::string_view name = step.more->part != nullptr ? kRoundTrip : std::string_view(step.op()->def.name);
      auto& [calls, ns] = ops[{step.op()->plugin, name}];
      ++calls;
      ns += own;
    });
    std::vector<Bar> bars;
    for (const auto& [op, sum] : ops)
      bars.push_back({sum.second, {CodeText(op.second, 44), Safe(op.first->name), std::to_string(sum.first)}});
    return Bars(std::move(bars), {"op", "plugin", "nodes"}, "ops");
  }

  std::string ClockText() const { return DurationText(facts_.clock); }

  std::string Memory() const {
    std::string text;
    for (uint32_t d = 0; d < plan_.devices.size(); ++d) {
      const size_t arena = plan_.devices[d].arena_bytes;
      if (arena == 0) continue;
      text += fmt::format("<p>Each run has one block of {} for results in the memory of {}.", Bytes(arena),
                          CodeText(plan_.devices[d].name));
      if (d == kCpu) text += OnCpu();
      text += "</p>\n<div class=\"scroll\">" + MemoryChart(facts_.plan, d) + "</div>\n";
    }
    return text.empty() ? "<p>No node makes a result whose size is known before a run.</p>\n" : text;
  }

  std::string OnCpu() const {
    const MemoryFacts memory = FactsOfMemory(plan_);
    std::string text = fmt::format(" At least {} is needed, at node {}.", Bytes(memory.lower_bound),
                                   CodeText(plan_.NodeName(plan_.steps[memory.peak_step])));
    if (memory.late > 0) text += " Results whose size is known only during a run are allocated besides.";
    if (memory.arena > memory.lower_bound && !plan_.tasks.empty()) {
      text +=
          " Nodes that may run at the same time cannot share memory; with <code>--threads 1</code>, a run may need "
          "less.";
    }
    return text;
  }

  std::string PlanLines() const {
    const std::string plan = PlanText(facts_.plan);
    const std::vector<std::string_view> lines = LinesOf(plan);
    std::string text;
    for (size_t i = 0; i < std::min(lines.size(), kMostPlanLines); ++i) text += Safe(lines[i], 300) + "\n";
    if (lines.size() > kMostPlanLines) {
      text +=
          fmt::format("\u2026 {} more lines: opsrun plan {}\n", lines.size() - kMostPlanLines, Safe(facts_.graph, 200));
    }
    return text;
  }

  std::string Setup() const {
    std::vector<std::vector<std::string>> rows = {
        {"graph", CodeText(facts_.graph, 200)},
        {"run",
         fmt::format("min {}, median {}, p90 {}, p99 {}, max {}; {}", DurationText(facts_.min),
                     DurationText(facts_.median), DurationText(facts_.p90), DurationText(facts_.p99),
                     DurationText(facts_.max), facts_.stable ? "the median is known to within 1%" : "not stable")}};
    for (const auto& [name, value] : facts_.setup) rows.push_back({Safe(name), Safe(value, 200)});
    return "<div class=\"scroll\"><table class=\"facts\"><tbody>\n" + Rows(rows, "facts") + "</tbody></table></div>\n";
  }

  std::string Plugins() const {
    std::map<const Plugin*, std::set<std::string>> used;
    for (const Step& step : plan_.steps) {
      if (step.copy == Step::Copy::kNone) used[step.op()->plugin].insert(plan_.devices[step.device].name);
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& [plugin, devices] : used) {
      rows.push_back({CodeText(plugin->name), Safe(plugin->version), Safe(fmt::format("{}", fmt::join(devices, ", "))),
                      CodeText(plugin->path, 200)});
    }
    std::ranges::sort(rows);
    return Table(Head({"plugin", "version", "devices", "file"}), Rows(rows, "plugins"));
  }

  std::string FeedsAndOutputs() const {
    std::vector<std::vector<std::string>> rows;
    const Resolution& resolution = facts_.plan.resolution;
    for (size_t i = 0; i < graph_.feeds.size(); ++i) {
      const Feed& feed = graph_.feeds[i];
      rows.push_back({"feed", CodeText(feed.name.value), Safe(ValueText(resolution.values[resolution.feed_values[i]])),
                      feed.source == Feed::Source::kDeclared ? "given with --feed" : "in the graph"});
    }
    for (const PlanOutput& output : plan_.outputs) {
      rows.push_back({"output", CodeText(output.output->name.value), Safe(ValueText(*names_[output.value].resolved)),
                      Safe(ReferenceText(output.output->from))});
    }
    return Table(Head({"", "name", "type", "from"}), Rows(rows, "tensors"));
  }

  const ReportFacts& facts_;
  const Plan& plan_;
  const Graph& graph_;
  const std::vector<ValueFacts> names_;
};

}  // namespace

std::string Safe(std::string_view text, size_t most) {
  return HtmlText(CutText(text, most));
}

std::string ReportPage(const ReportFacts& facts) {
  return Page(facts).Write();
}

}  // namespace opsrun::host
