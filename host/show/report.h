// host/show/report.h: a page about measured runs of a graph, for opsrun report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/show/graph_text.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {

// Times are in nanoseconds.
struct ReportFacts {
  PlanFacts plan;
  std::string graph;  // its path, as the user wrote it
  uint32_t threads = 1;
  double min = 0, median = 0, p90 = 0, p99 = 0, max = 0;  // of a run
  bool stable = false;                                    // the median is known to within 1%
  uint64_t batch = 1;                                     // runs that were measured together; the times are their means
  double clock = 0;                                       // that measuring adds to each step
  std::vector<double> steps;                              // of each step; the medians of many runs
  std::vector<double> isolated;                           // as in TimesOfNodes
  NodeTimes times;                                        // of the same runs
  std::string picture;                                    // an SVG document of GraphDot; empty: there is none,
  std::string no_picture;                                 // and this sentence says why
  std::vector<std::pair<std::string, std::string>> setup;  // further facts: name and value
};

// One HTML document that needs no other file, no network and no script. All texts of graphs and plugins are escaped,
// and long tables are cut, so its size is bounded except for the picture.
std::string ReportPage(const ReportFacts& facts);

// Parts of the page.

// What to do about the times: true for this plan and these times, and worth at least one percent. Plain text.
struct Advice {
  std::string title, text;
};
std::vector<Advice> AdviceOn(const ReportFacts& facts);

// An SVG element: which tensor is at which place of a device's arena, at which steps. Requires: the arena is not empty.
std::string MemoryChart(const PlanFacts& facts, uint32_t device);

// The page without its parts, which are {{named}} in it.
std::string_view ReportTemplate();

// Text as content of HTML or as the value of an attribute, at most `most` characters of it.
std::string Safe(std::string_view text, size_t most = 80);

}  // namespace opsrun::host
