// host/show/report_chart.cc: memory over time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/display_text.h"
#include "host/show/graph_dot.h"
#include "host/show/report.h"

namespace opsrun::host {
namespace {

// In the units of the picture.
constexpr double kWidth = 1040, kHeight = 300, kLeft = 78, kRight = 8, kTop = 18, kBottom = 26;
constexpr double kOfLetter = 7;  // the width of a letter
constexpr size_t kMostBlocks = 1000;

// A tensor, or the workspace of a step.
struct MemoryBlock {
  double begin = 0, end = 0;  // in steps
  size_t offset = 0, bytes = 0;
  std::string name, place;
  bool workspace = false;

  double Area() const { return (end - begin) * static_cast<double>(bytes); }
};

class Chart {
 public:
  Chart(const PlanFacts& facts, uint32_t device) : plan_(facts.plan), device_(device), names_(FactsOfValues(facts)) {
    step_width_ = (kWidth - kLeft - kRight) / static_cast<double>(std::max<size_t>(plan_.steps.size(), 1));
    arena_ = static_cast<double>(plan_.devices[device].arena_bytes);
  }

  std::string Draw() {
    CollectBlocks();
    text_ = fmt::format("<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"memory over time\">\n",
                        kWidth, kTop + kHeight + kBottom);
    for (size_t i = 0; i < blocks_.size(); ++i) DrawBlock(blocks_[i], i);
    DrawSteps();
    DrawLine(plan_.devices[device_].arena_bytes, "axis");
    DrawLine(0, "axis");
    const size_t least = FactsOfMemory(plan_).lower_bound;
    if (device_ == kCpu && least < plan_.devices[kCpu].arena_bytes) DrawLine(least, "bound");
    return text_ + "</svg>\n";
  }

 private:
  bool IsHere(const PlanValue& value) const {
    return value.memory == PlanValue::Memory::kArena && value.device == device_ && value.producer != PlanValue::kNone;
  }

  void CollectBlocks() {
    std::vector<double> begins(plan_.values.size()), ends(plan_.values.size());
    for (uint32_t v = 0; v < plan_.values.size(); ++v) {
      if (!IsHere(plan_.values[v])) continue;
      const Lifetime life = LifetimeOf(plan_, v);
      begins[v] = life.first;
      ends[v] = life.last + 1.0;
    }
    // Where an output takes over the memory of an input, one ends and the other begins in the middle of the step.
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      for (const StepAlias& alias : plan_.steps[s].kind->aliases) {
        const uint32_t in = plan_.steps[s].inputs[alias.input], out = plan_.steps[s].outputs[alias.output];
        const bool taken = IsHere(plan_.values[in]) && IsHere(plan_.values[out]) &&
                           plan_.values[in].offset == plan_.values[out].offset;
        if (taken) ends[in] = begins[out] = s + 0.5;
      }
    }
    for (uint32_t v = 0; v < plan_.values.size(); ++v) {
      const PlanValue& value = plan_.values[v];
      if (IsHere(value)) Add({begins[v], ends[v], value.offset, BytesOf(value), names_[v].name, MemoryText(plan_, v)});
    }
    for (uint32_t s = 0; s < plan_.steps.size(); ++s) {
      const Step& step = plan_.steps[s];
      if (step.device != device_ || step.more->workspace_bytes == 0) continue;
      Add({double(s), s + 1.0, step.more->workspace, step.more->workspace_bytes,
           fmt::format("workspace of {}", plan_.NodeName(step)),
           fmt::format("{} at {}, step {} alone", BytesText(static_cast<double>(step.more->workspace_bytes)),
                       step.more->workspace, s),
           true});
    }
    std::ranges::stable_sort(blocks_, std::ranges::greater(), &MemoryBlock::Area);
    if (blocks_.size() > kMostBlocks) blocks_.resize(kMostBlocks);
    std::ranges::stable_sort(blocks_, {}, &MemoryBlock::begin);
  }

  void Add(MemoryBlock block) {
    if (block.bytes > 0) blocks_.push_back(std::move(block));
  }

  double X(double step) const { return kLeft + step * step_width_; }
  double Y(size_t bytes) const { return kTop + kHeight * (1 - static_cast<double>(bytes) / arena_); }

  // Neighbors get different colors.
  void DrawBlock(const MemoryBlock& block, size_t i) {
    constexpr int kColors = 6;
    const double x = X(block.begin), y = Y(block.offset + block.bytes);
    const double width = X(block.end) - x, height = Y(block.offset) - y;
    text_ += fmt::format(
        "<g class=\"{}\"><title>{}: {}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
        block.workspace ? "work" : fmt::format("c{}", i % kColors), Safe(block.name), Safe(block.place), x, y, width,
        height);
    const auto letters = static_cast<size_t>(std::max(width - 8, 0.0) / kOfLetter);
    if (letters >= 3 && height >= 14) {
      const bool both = height >= 30 && letters >= 9;
      const double middle = y + height / 2 + (both ? -3 : 4);
      text_ +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + width / 2, middle, Safe(block.name, letters));
      if (both) {
        text_ += fmt::format("<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + width / 2, middle + 14,
                             BytesText(static_cast<double>(block.bytes)));
      }
    }
    text_ += "</g>\n";
  }

  // Names of nodes where there is room for them, otherwise numbers of some steps.
  void DrawSteps() {
    constexpr double kOfName = 56, kMostNumbers = 14;
    const size_t steps = plan_.steps.size();
    const bool names = step_width_ >= kOfName;
    const auto every = static_cast<size_t>(std::max(1.0, std::ceil(static_cast<double>(steps) / kMostNumbers)));
    for (size_t s = 0; s < steps; s += names ? 1 : every) {
      const std::string name(plan_.NodeName(plan_.steps[s]));
      const auto letters = static_cast<size_t>(step_width_ / kOfLetter);
      text_ +=
          fmt::format("<text class=\"mark\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", X(static_cast<double>(s) + 0.5),
                      kTop + kHeight + 17, names ? Safe(name, letters) : std::to_string(s));
    }
  }

  void DrawLine(size_t bytes, const char* look) {
    text_ += fmt::format(
        "<line class=\"{0}\" x1=\"{1}\" x2=\"{2}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\"/>"
        "<text class=\"mark end\" x=\"{4}\" y=\"{5:.1f}\">{6}</text>\n",
        look, kLeft, kWidth - kRight, Y(bytes), kLeft - 6, Y(bytes) + (std::string_view(look) == "bound" ? 14 : 4),
        BytesText(static_cast<double>(bytes)));
  }

  const Plan& plan_;
  const uint32_t device_;
  const std::vector<ValueFacts> names_;
  double step_width_ = 0, arena_ = 0;
  std::vector<MemoryBlock> blocks_;
  std::string text_;
};

}  // namespace

std::string MemoryChart(const PlanFacts& facts, uint32_t device) {
  return Chart(facts, device).Draw();
}

}  // namespace opsrun::host
