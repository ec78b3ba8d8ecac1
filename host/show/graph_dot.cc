// host/show/graph_dot.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/graph_dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/boxes.h"

namespace opsrun::host {
namespace {

constexpr char kFont[] = "fontname=\"Helvetica,Arial,sans-serif\"";

// A shade for each device; "cpu" always has the same one.
std::map<std::string, Shade> DeviceShades(const std::set<std::string>& devices) {
  constexpr Shade kCpu = {"#d3e9f8", "#0072b2"};
  constexpr Shade kOthers[] = {{"#fbe7bf", "#b97d00"},
                               {"#c9efe2", "#00805c"},
                               {"#f3d9e7", "#a8527f"},
                               {"#f9f5c0", "#8f8500"},
                               {"#e2dcf5", "#6a51a3"}};
  std::map<std::string, Shade> shades;
  size_t next = 0;
  for (const std::string& device : devices) {
    shades[device] = device == "cpu" ? kCpu : kOthers[next++ % std::size(kOthers)];
  }
  return shades;
}

// The number of nodes on the longest path, and the largest number side by side.
struct Extent {
  size_t levels = 0;
  size_t widest = 0;
};

Extent Measure(const Graph& graph, const Resolution& resolution, const Wiring& wiring) {
  std::vector<size_t> level(graph.nodes.size(), 0), width(graph.nodes.size() + 1, 0);
  for (const uint32_t node : resolution.order) {
    for (const NodeInput& input : graph.nodes[node].inputs) {
      for (const Reference& reference : input.from) {
        const Source source = wiring.Find(reference);
        if (source.kind == Source::Kind::kNode) level[node] = std::max(level[node], level[source.index] + 1);
      }
    }
    ++width[std::min(level[node], graph.nodes.size())];
  }
  Extent extent;
  extent.levels = static_cast<size_t>(std::count_if(width.begin(), width.end(), [](size_t n) { return n > 0; }));
  extent.widest = *std::max_element(width.begin(), width.end());
  return extent;
}

class Drawing {
 public:
  Drawing(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics)
      : graph_(graph), wiring_(graph, resolution), mistakes_(SortMistakes(graph, diagnostics)) {
    const Extent extent = Measure(graph, resolution, wiring_);
    sideways_ = extent.widest > 6 && extent.widest > 2 * extent.levels;
    std::set<std::string> devices;
    for (const ResolvedNode& node : resolution.nodes) {
      if (node.kernel != nullptr) devices.insert(node.device);
    }
    shades_ = DeviceShades(devices);
  }

  std::string Draw() {
    Begin();
    for (size_t i = 0; i < graph_.feeds.size(); ++i) DrawFeed(i);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) DrawNode(i);
    for (size_t i = 0; i < graph_.outputs.size(); ++i) DrawOutput(i);
    for (const std::string& name : unknown_) {
      const bool left_out = std::find(graph_.left_out.begin(), graph_.left_out.end(), name) != graph_.left_out.end();
      text_ += UnknownBox(UnknownId(name), name, left_out);
    }
    if (!mistakes_.others.empty()) text_ += MistakesBox(mistakes_.others);
    if (shades_.size() > 1) DrawLegend();
    return text_ + "}\n";
  }

 private:
  void Begin() {
    const std::string& path = graph_.source->path;
    const std::string title = graph_.name.empty() ? path.substr(path.rfind('/') + 1) : graph_.name;
    const std::string name = DotId(CutText(title, 60));
    text_ = fmt::format(
        "digraph {0} {{\n"
        "  graph [rankdir={1}, bgcolor=\"transparent\", nodesep=0.3, ranksep=0.45, {2}, fontsize=12, "
        "fontcolor=\"{3}\", "
        "labelloc=t, label={0}]\n"
        "  node [{2}, fontsize=12, fontcolor=\"{4}\", margin=\"0.08,0.05\"]\n"
        "  edge [{2}, fontsize=9, fontcolor=\"{3}\", color=\"{3}\", arrowsize=0.7]\n",
        name, sideways_ ? "LR" : "TB", kFont, kOutside, kWords);
  }

  void DrawFeed(size_t i) {
    const Feed& feed = graph_.feeds[i];
    const Source source = wiring_.Find(Reference{feed.name.value, {}, -1, {}});
    text_ += FeedBox(FeedId(feed, i), feed, wiring_.TypeText(source.values), mistakes_.feeds[i]);
  }

  void DrawNode(size_t i) {
    const Node& node = graph_.nodes[i];
    const ResolvedNode& resolved = wiring_.Resolved(i);
    const std::string id = NodeId(node, i);
    text_ += NodeBox(id, node, resolved, mistakes_.nodes[i], {ShadeOf(i), sideways_});
    DrawInputs(node, resolved, id);
    for (const Located<std::string>& name : node.after) {
      const std::string from = From(wiring_.Find(Reference{name.value, {}, -1, {}}), name.value);
      text_ += fmt::format("  {} -> {} [style=dashed, arrowhead=open, tooltip=\"after\"]\n", from, id);
    }
  }

  Shade ShadeOf(size_t i) const {
    if (!mistakes_.nodes[i].empty()) return kMistakeShade;
    const ResolvedNode& node = wiring_.Resolved(i);
    return node.kernel == nullptr ? kUnknownShade : shades_.at(node.device);
  }

  // Arrows into a list show which elements they bring.
  void DrawInputs(const Node& node, const ResolvedNode& resolved, const std::string& id) {
    std::map<int, size_t> next;  // element, by argument
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      const int arg = InputArg(node, resolved, k);
      const bool list = arg >= 0 && resolved.op->def.inputs[static_cast<size_t>(arg)].is_list();
      for (const Reference& reference : node.inputs[k].from) {
        const size_t first = next[arg], count = std::max<size_t>(wiring_.Find(reference).values.size(), 1);
        next[arg] += count;
        const std::string last = count > 1 ? fmt::format("-{}", first + count - 1) : "";
        DrawArrow(reference, id + InPort(resolved, arg, sideways_),
                  list ? fmt::format("\u2192 .{}{}", first, last) : "");
      }
    }
  }

  void DrawOutput(size_t i) {
    const GraphOutput& output = graph_.outputs[i];
    text_ += OutputBox(OutputId(i), output, mistakes_.outputs[i]);
    DrawArrow(output.from, OutputId(i), "");
  }

  // element: the list element that the arrow goes to; may be empty.
  void DrawArrow(const Reference& reference, const std::string& to, const std::string& element) {
    const Source source = wiring_.Find(reference);
    std::string label = source.element ? fmt::format(".{}", reference.index) : "";
    if (!element.empty()) label += (label.empty() ? "" : " ") + element;
    // The box of a feed already shows its type.
    const std::string type = source.kind == Source::Kind::kNode ? wiring_.TypeText(source.values) : "";
    if (!type.empty()) label += (label.empty() ? "" : "  ") + type;
    text_ += fmt::format("  {} -> {}", From(source, reference.name), to);
    if (!label.empty()) text_ += fmt::format(" [label={}]", DotId(" " + CutText(label, 60) + " "));
    text_ += source.kind == Source::Kind::kNothing ? fmt::format(" [color=\"{}\"]\n", kMistakeShade.line) : "\n";
  }

  std::string From(const Source& source, const std::string& name) {
    if (source.kind == Source::Kind::kFeed) return FeedId(graph_.feeds[source.index], source.index);
    if (source.kind == Source::Kind::kNode) {
      return NodeId(graph_.nodes[source.index], source.index) +
             OutPort(wiring_.Resolved(source.index), source.arg, sideways_);
    }
    unknown_.insert(name);
    return UnknownId(name);
  }

  void DrawLegend() {
    text_ +=
        "  \"legend.0\" [shape=plain, label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"2\" cellpadding=\"4\">";
    for (const auto& [device, shade] : shades_) {
      text_ += fmt::format("<tr><td bgcolor=\"{}\" color=\"{}\"><font point-size=\"10\">{}</font></td></tr>",
                           shade.fill, shade.line, HtmlText(CutText(device, 20)));
    }
    text_ += "</table>>]\n";
  }

  const Graph& graph_;
  Wiring wiring_;
  MistakesByPart mistakes_;
  std::map<std::string, Shade> shades_;
  std::set<std::string> unknown_;  // names of missing sources
  bool sideways_ = false;
  std::string text_;
};

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

std::vector<std::string_view> Characters(std::string_view text, size_t most) {
  std::vector<std::string_view> characters;
  while (!text.empty() && characters.size() < most) {
    const Utf8Character character = DecodeUtf8(text);
    const bool in_xml = character.code != 0xFFFE && character.code != 0xFFFF;
    const bool shown = character.size > 0 && IsShown(character.code) && in_xml;
    const size_t size = std::max<size_t>(character.size, 1);
    characters.push_back(shown ? text.substr(0, size) : kReplacementCharacter);
    text.remove_prefix(size);
  }
  return characters;
}

// How many characters, starting at `begin`, fit on one line.
size_t LineLength(const std::vector<std::string_view>& characters, size_t begin, size_t width) {
  const size_t rest = characters.size() - begin;
  if (rest <= width) return rest;
  for (size_t n = width; n > width / 2; --n) {
    if (characters[begin + n] == " ") return n;
  }
  return width;
}

}  // namespace

std::string GraphDot(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics) {
  return Drawing(graph, resolution, diagnostics).Draw();
}

std::string DotId(std::string_view text) {
  std::string id = "\"";
  for (const std::string_view character : Characters(text, text.size())) {
    if (character == "\"" || character == "\\") id += '\\';
    id += character;
  }
  return id + '"';
}

std::string CutText(std::string_view text, size_t most) {
  std::vector<std::string_view> characters = Characters(text, most + 1);
  if (characters.size() > most) {
    characters.resize(most - 1);
    characters.push_back(kEllipsis);
  }
  std::string cut;
  for (const std::string_view character : characters) cut += character;
  return cut;
}

std::string HtmlText(std::string_view text) {
  static constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string html;
  for (const char& c : text) {
    const auto entity = std::ranges::find(kEntities, c, &std::pair<char, std::string_view>::first);
    html += entity == std::end(kEntities) ? std::string_view(&c, 1) : entity->second;
  }
  return html;
}

std::string HtmlLines(std::string_view text, size_t width, size_t lines) {
  const std::string cut = CutText(text, width * lines);
  const std::vector<std::string_view> characters = Characters(cut, cut.size());
  std::string html;
  for (size_t begin = 0, n = 0; begin < characters.size(); begin += n) {
    n = LineLength(characters, begin, width);
    for (size_t i = begin; i < begin + n; ++i) html += HtmlText(characters[i]);
    html += "<br/>";
    while (begin + n < characters.size() && characters[begin + n] == " ") ++begin;
  }
  return html;
}

}  // namespace opsrun::host
