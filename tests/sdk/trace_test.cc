// tests/sdk/trace_test.cc: TraceSpan.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/trace.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

TEST(TraceSpan, TellsTheTraceWhenItEnds) {
  BodyTest t;
  t.host.RecordSpans();
  EXPECT_EQ(t.Compute([&t](OpKernelContext* context) {
    const TraceSpan outer(context, "outer");
    { const TraceSpan inner(context, "inner"); }
    EXPECT_EQ(t.host.spans(), std::vector<std::string>{"inner from 1"});
  }),
            "");
  EXPECT_EQ(t.host.spans(), (std::vector<std::string>{"inner from 1", "outer from 1"}));
}

TEST(TraceSpan, TellsNothingIfNobodyRecords) {
  BodyTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { const TraceSpan span(context, "span"); }), "");
  EXPECT_TRUE(t.host.spans().empty());
}

}  // namespace
}  // namespace opsrun_test
