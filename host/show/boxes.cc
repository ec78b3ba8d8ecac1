// host/show/boxes.cc: the boxes of a picture, and their text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/show/graph_dot.h"
#include "host/spec/op_def.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

constexpr size_t kLongestId = 100;
constexpr size_t kLongestName = 40;
constexpr size_t kLongestAttr = 44;
constexpr size_t kMostAttrs = 5;
constexpr size_t kMostMistakes = 3;
constexpr size_t kMostPorts = 10;
constexpr int64_t kMostElements = 6;

std::string IdOf(const std::string& name, const char* kind, size_t i) {
  return DotId(name.size() <= kLongestId ? name : fmt::format("{}.{}", kind, i));
}

std::string Bold(std::string_view text) {
  return fmt::format("<b>{}</b>", HtmlText(CutText(text, kLongestName)));
}

// A line after the first, in smaller print.
std::string Small(std::string_view text, std::string_view color = kSmallWords) {
  return fmt::format("<br/><font point-size=\"10\" color=\"{}\">{}</font>", color,
                     HtmlText(CutText(text, kLongestAttr)));
}

// "G201 no op named 'ZeroOt'", each on at most a few lines.
std::string MistakeLines(const Mistakes& mistakes, bool with_places) {
  std::string html;
  for (size_t i = 0; i < std::min(mistakes.size(), kMostMistakes); ++i) {
    const Diagnostic& d = *mistakes[i];
    const std::string place = with_places && d.where.known() ? fmt::format("line {}: ", d.where.begin.line) : "";
    html += fmt::format("<b>{}</b> {}", HtmlText(d.code.text()), HtmlLines(place + d.message, 36, 4));
  }
  if (mistakes.size() > kMostMistakes) html += fmt::format("and {} more<br/>", mistakes.size() - kMostMistakes);
  return fmt::format("<font point-size=\"10\" color=\"{}\">{}</font>", kMistakeShade.line, html);
}

std::string ShapedBox(const std::string& id, std::string_view shape, std::string_view style, const Shade& shade,
                      const std::string& label) {
  return fmt::format("  {} [shape={}, style=\"{}\", fillcolor=\"{}\", color=\"{}\", label=<{}>]\n", id, shape, style,
                     shade.fill, shade.line, label);
}

bool IsTiny(const Tensor& tensor) {
  return tensor.dtype() != DType::kInvalid && tensor.num_elements() <= kMostElements && tensor.shape().size() <= 2;
}

// Joins the lines of a text into one.
std::string Joined(const std::string& text) {
  std::string joined;
  for (const char c : text) {
    if (c != '\n' && !(c == ' ' && joined.ends_with(' '))) joined += c;
  }
  return joined;
}

// Describes the source of a feed's tensor.
std::string OriginText(const Feed& feed) {
  switch (feed.source) {
    case Feed::Source::kNpy:
      return feed.path.value;
    case Feed::Source::kNpz:
      return fmt::format("{}: {}", feed.path.value, feed.key.value);
    case Feed::Source::kRandom:
      return "random";
    case Feed::Source::kDeclared:
      return "given with --feed";
    default:
      return IsTiny(feed.value) ? Joined(PrintTensor(feed.value)) : "";
  }
}

// The attrs that the graph sets, one per line.
std::string AttrLines(const Node& node, const ResolvedNode& resolved, std::string_view color) {
  if (!resolved.signature) return {};
  std::string html;
  for (size_t i = 0; i < std::min(node.attrs.size(), kMostAttrs); ++i) {
    const spec::OpDef& op = resolved.op->def;
    const spec::AttrDef* const attr = op.FindAttr(node.attrs[i].name.value);
    if (attr == nullptr) continue;
    const spec::AttrValue& value = resolved.signature->attrs[op.IndexOf(*attr)];
    html += Small(fmt::format("{}: {}", attr->name, spec::AttrValueText(value)), color);
  }
  return node.attrs.size() > kMostAttrs ? html + Small("\u2026", color) : html;
}

// True if each argument gets a cell, so that the end of an arrow shows which argument it is for.
bool HasPorts(const std::vector<spec::ArgDef>& args) {
  return args.size() > 1 && args.size() <= kMostPorts;
}

std::string PortCells(const std::vector<spec::ArgDef>& args, const char* side, const NodeLook& look) {
  std::string cells;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string cell = fmt::format(
        "<td port=\"{}{}\" border=\"1\" color=\"{}\" cellpadding=\"3\"><font point-size=\"9\" "
        "color=\"{}\">{}</font></td>",
        side, i, look.shade.line, look.small_words, HtmlText(CutText(args[i].name, kLongestName)));
    cells += look.sideways || cells.empty() ? (cells.empty() ? "<tr>" : "</tr><tr>") + cell : cell;
  }
  return fmt::format(
      "<td><table border=\"0\" cellborder=\"1\" cellspacing=\"3\" cellpadding=\"3\">{}</tr></table></td>", cells);
}

// Joins the cells of a node, in order from inputs to outputs.
std::string Parts(const std::vector<std::string>& cells, bool sideways) {
  std::string html;
  for (const std::string& cell : cells) {
    if (!cell.empty()) html += sideways ? cell : "<tr>" + cell + "</tr>";
  }
  return sideways ? "<tr>" + html + "</tr>" : html;
}

std::string Port(const std::vector<spec::ArgDef>& args, int arg, const char* side, char where) {
  if (arg < 0 || !HasPorts(args)) return {};
  return fmt::format(":{}{}:{}", side, arg, where);
}

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

// Shares of the time, ascending; each shade is for shares from there on.
constexpr struct {
  double from;
  const char* label;
  Shade shade;
} kHeat[] = {{0, "< 1 %", {"#f6f6f3", "#8b949e"}},         {0.01, "\u2265 1 %", {"#fff1c9", "#b79a3a"}},
             {0.05, "\u2265 5 %", {"#ffdd95", "#b8862b"}}, {0.15, "\u2265 15 %", {"#fdbf66", "#b06d16"}},
             {0.3, "\u2265 30 %", {"#f79a4a", "#a8520f"}}, {0.5, "\u2265 50 %", {"#ea7430", "#8f3a0b"}}};

}  // namespace

Shade HeatShade(double share) {
  Shade shade = kHeat[0].shade;
  for (const auto& heat : kHeat) {
    if (share >= heat.from) shade = heat.shade;
  }
  return shade;
}

std::string FeedId(const Feed& feed, size_t i) {
  return IdOf(feed.name.value, "feed", i);
}

std::string NodeId(const Node& node, size_t i) {
  return IdOf(node.name.value, "node", i);
}

std::string OutputId(size_t i) {
  return fmt::format("\"output.{}\"", i);
}

std::string UnknownId(const std::string& name) {
  return DotId("unknown." + CutText(name, kLongestId));
}

std::string FeedBox(const std::string& id, const Feed& feed, const std::string& type, const Mistakes& mistakes) {
  std::string label = Bold(feed.name.value);
  if (!type.empty()) label += Small(type);
  if (const std::string origin = OriginText(feed); !origin.empty()) label += Small(origin);
  if (!mistakes.empty()) label += "<br/>" + MistakeLines(mistakes, false);
  const bool open = feed.source == Feed::Source::kDeclared;
  return ShapedBox(id, "note", open ? "filled,dashed" : "filled", mistakes.empty() ? kFeedShade : kMistakeShade, label);
}

std::string OutputBox(const std::string& id, const GraphOutput& output, const Mistakes& mistakes) {
  std::string label = Bold(output.name.value);
  if (output.npz) label += Small(fmt::format("{}: {}", output.npz->value, output.key.value));
  if (output.npy) label += Small(output.npy->value);
  if (output.print) label += Small("printed");
  if (!mistakes.empty()) label += "<br/>" + MistakeLines(mistakes, false);
  if (mistakes.empty()) return ShapedBox(id, "ellipse", "filled,bold", kOutputShade, label);
  return ShapedBox(id, "box", "filled,rounded,bold", kMistakeShade, label);
}

std::string UnknownBox(const std::string& id, const std::string& name, bool is_there) {
  return ShapedBox(id, "box", "filled,dashed", kMistakeShade,
                   Bold(name) + Small(is_there ? "has a mistake" : "nothing has this name"));
}

std::string MistakesBox(const Mistakes& mistakes) {
  return ShapedBox("\"mistakes.0\"", "box", "filled", kMistakeShade, MistakeLines(mistakes, true));
}

std::string TimesBox(const NodeTimes& times) {
  std::string cells;
  for (const auto& heat : kHeat) {
    cells += fmt::format("<td bgcolor=\"{}\" color=\"{}\"><font point-size=\"10\">{}</font></td>", heat.shade.fill,
                         heat.shade.line, HtmlText(heat.label));
  }
  const std::string copies =
      times.copies > 0 ? fmt::format(", of which copies between devices {}", DurationText(times.copies)) : "";
  const std::string round_trips = times.round_trips > 0 ? fmt::format(", of which round trips to isolated plugins {}",
                                                                      DurationText(times.round_trips))
                                                        : "";
  return fmt::format(
      "  \"legend.1\" [shape=plain, label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"2\" "
      "cellpadding=\"4\"><tr>"
      "<td border=\"0\" colspan=\"{}\"><font point-size=\"10\" color=\"{}\">share of {}{}</font></td></tr>"
      "<tr>{}</tr></table>>]\n",
      std::size(kHeat), kOutside, DurationText(times.all), copies + round_trips, cells);
}

std::string NodeBox(const std::string& id, const Node& node, const ResolvedNode& resolved, const Mistakes& mistakes,
                    const NodeLook& look) {
  static const spec::OpDef no_op;
  const spec::OpDef& op = resolved.op == nullptr ? no_op : resolved.op->def;
  std::string middle =
      Bold(node.name.value) + Small(node.op.value, kWords) + AttrLines(node, resolved, look.small_words);
  if (!look.time.empty()) middle += Small(look.time, kWords);
  if (!mistakes.empty()) middle += "<br/>" + MistakeLines(mistakes, false);
  const std::string ins = HasPorts(op.inputs) ? PortCells(op.inputs, "in", look) : "";
  const std::string outs = HasPorts(op.outputs) ? PortCells(op.outputs, "out", look) : "";
  const std::string cell = fmt::format("<td cellpadding=\"6\">{}</td>", middle);
  return fmt::format(
      "  {} [shape=plain, label=<<table border=\"1\" cellborder=\"0\" cellspacing=\"0\" style=\"rounded\" "
      "bgcolor=\"{}\" "
      "color=\"{}\">{}</table>>]\n",
      id, look.shade.fill, look.shade.line, Parts({ins, cell, outs}, look.sideways));
}

std::string InPort(const ResolvedNode& resolved, int arg, bool sideways) {
  return resolved.op == nullptr ? "" : Port(resolved.op->def.inputs, arg, "in", sideways ? 'w' : 'n');
}

std::string OutPort(const ResolvedNode& resolved, int arg, bool sideways) {
  return resolved.op == nullptr ? "" : Port(resolved.op->def.outputs, arg, "out", sideways ? 'e' : 's');
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
