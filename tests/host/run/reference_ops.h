// tests/host/run/reference_ops.h: ops over rows of int32, each with a kernel and with what it must compute.
//
// Between them the kernels use every way to make an output. Any call can be told to fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host::reference {

using Rows = std::vector<Row>;

struct Op {
  spec::OpStrings strings;
  ShapeFn shape = nullptr;
  ComputeFn compute = nullptr;
  std::function<Rows(const Rows&, size_t outputs)> expected;
  std::vector<KernelAlias> aliases = {};
  CreateFn create = CreateNothing;
  void (*destroy)(void*) = DestroyNothing;
};

// The call with this number fails: 0 is the next one; below 0 none does.
inline std::atomic<int> fails_in{-1};
inline int32_t Begin(opsrun_call* call) {
  if (fails_in >= 0 && fails_in-- == 0)
    return call->host->fail(call->host, call, OPSRUN_ABORTED, C("told to"), C("input:x"));
  return OPSRUN_OK;
}

// Gives output 0 the block of input 0, if the host allows it.
inline int32_t BeginInPlace(opsrun_call* call, opsrun_tensor** out) {
  if (int32_t code = Begin(call)) return code;
  const opsrun_tensor& in = *call->in[0];
  if (int32_t code = call->host->forward_input(call, 0, 0, in.rank, in.shape, out)) return code;
  return *out != nullptr ? OPSRUN_OK : AllocateLikeInput(call, out);
}
inline Rows InputsOf(const opsrun_call* call) {
  Rows rows;
  for (uint32_t i = 0; i < call->n_in; ++i) rows.push_back(RowOf(call->in[i]));
  return rows;
}

// As long as the first; the others are repeated.
inline Rows Sum(const Rows& in, size_t) {
  Row sum = in[0];
  for (size_t r = 1; r < in.size(); ++r) {
    for (size_t i = 0; i < sum.size() && !in[r].empty(); ++i) sum[i] += in[r][i % in[r].size()];
  }
  return {sum};
}
inline Rows Twice(const Rows& in, size_t) {
  Row row = in[0];
  for (int32_t& v : row) v = (2 * v + 1) % 1000;
  return {row};
}
inline Rows Same(const Rows& in, size_t) {
  return {in[0]};
}
inline Rows TwiceAndSame(const Rows& in, size_t) {
  return {Twice(in, 1)[0], in[0]};
}
inline Rows Even(const Rows& in, size_t) {
  Row row;
  std::copy_if(in[0].begin(), in[0].end(), std::back_inserter(row), [](int32_t v) { return v % 2 == 0; });
  return {row};
}
inline Rows Deal(const Rows& in, size_t outputs) {
  Rows rows(outputs);
  for (size_t i = 0; i < in[0].size(); ++i) rows[i % outputs].push_back(in[0][i]);
  return rows;
}
inline Rows Chain(const Rows& in, size_t) {
  Row row;
  for (const Row& more : in) row.insert(row.end(), more.begin(), more.end());
  row.resize(std::min<size_t>(row.size(), 100));
  return {row};
}
inline Rows TurnAndCount(const Rows& in, size_t) {
  return {Row(in[0].rbegin(), in[0].rend()), {static_cast<int32_t>(in[0].size())}};
}
inline Rows Lengths(const Rows& in, size_t) {
  Row row = in[0];
  for (int32_t& v : row) v &= 63;
  return {row};
}

// A kernel that allocates its outputs and fills them.
template <Rows (*fn)(const Rows&, size_t)>
int32_t Plain(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  const Rows rows = fn(InputsOf(call), call->n_out);
  for (uint32_t i = 0; i < call->n_out; ++i) {
    if (int32_t code = Put(call, i, rows[i])) return code;
  }
  return OPSRUN_OK;
}
// The same in its input's block, if the host gives it.
inline int32_t TwiceForwarded(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = BeginInPlace(call, &out)) return code;
  const Row row = Twice(InputsOf(call), 1)[0];
  std::copy(row.begin(), row.end(), Ints(out));
  return OPSRUN_OK;
}
inline int32_t Share(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  return call->host->set_output(call, 0, call->in[0]);
}
inline int32_t ThroughATemporary(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  return SetToTemporary(call, call->in[0]->rank, call->in[0]->shape, [call](const opsrun_tensor& temp) {
    const Row row = Sum(InputsOf(call), 1)[0];
    std::copy(row.begin(), row.end(), Ints(&temp));
  });
}
inline int32_t InALoop(void*, opsrun_call* call) {
  if (int32_t code = Plain<Sum>(nullptr, call)) return code;
  const auto twice = [](void* c, int64_t begin, int64_t end) -> int32_t {
    int32_t* row = Ints(static_cast<opsrun_call*>(c)->out[0]);
    for (int64_t i = begin; i < end; ++i) row[i] *= 2;
    return OPSRUN_OK;
  };
  return call->host->parallel_for(call, Count(call->out[0]), 10'000, twice, call);
}
inline Rows TwiceTheSum(const Rows& in, size_t) {
  Row sum = Sum(in, 1)[0];
  for (int32_t& v : sum) v *= 2;
  return {sum};
}
// Keeps its input until the next run, and gives it out through what it keeps.
inline int32_t CreateKeeper(void*, opsrun_create*, void** kernel) {
  *kernel = new const opsrun_tensor*(nullptr);
  return OPSRUN_OK;
}
inline void Forget(const opsrun_tensor*& kept) {
  if (kept != nullptr) kept->host->release(kept);
  kept = nullptr;
}
inline void DestroyKeeper(void* kernel) {
  auto* kept = static_cast<const opsrun_tensor**>(kernel);
  Forget(*kept);
  delete kept;
}
inline int32_t Keep(void* kernel, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  const opsrun_tensor*& kept = *static_cast<const opsrun_tensor**>(kernel);
  Forget(kept);
  if (int32_t code = call->host->retain(call->in[0], &kept)) return code;
  return call->host->set_output(call, 0, kept);
}
// A text of so many characters for each number, written from the last to the first, and their lengths.
inline int32_t WriteTexts(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  const Row lengths = Lengths(InputsOf(call), 1)[0];
  const auto n = static_cast<int64_t>(lengths.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  for (int64_t i = n; i-- > 0;) {
    const std::string text(static_cast<size_t>(lengths[i]), 'x');
    if (int32_t code = call->host->string_assign(out, static_cast<uint64_t>(i), text.data(), text.size())) return code;
  }
  return OPSRUN_OK;
}
inline int32_t ReadTexts(void*, opsrun_call* call) {
  if (int32_t code = Begin(call)) return code;
  const auto* texts = static_cast<const opsrun_str*>(call->in[0]->data);
  Row lengths;
  for (int64_t i = 0; i < Count(call->in[0]); ++i) lengths.push_back(static_cast<int32_t>(texts[i].size));
  return Put(call, 0, lengths);
}

inline int32_t BothLikeFirst(void*, opsrun_shape_call* call) {
  call->host->set_output_shape(call, 1, call->in[0]);
  return SameShape(nullptr, call);
}

inline const std::vector<Op>& Ops() {
  static const std::vector<std::string> x = {"x: int32"}, y = {"y: int32"}, ab = {"a: int32", "b: int32"};
  static const std::vector<std::string> xs = {"xs: N * int32"}, ys = {"ys: N * int32"}, n = {"N: int >= 1"};
  static const std::vector<std::string> t = {"t: string"};
  static const std::vector<Op> ops = {
      {{.name = "Sum", .inputs = ab, .outputs = y}, SameShape, Plain<Sum>, Sum, {}},
      {{.name = "SumInPlace", .inputs = ab, .outputs = y}, SameShape, Plain<Sum>, Sum, {{"y", "a"}, {"y", "b"}}},
      {{.name = "LateSum", .inputs = xs, .outputs = y, .attrs = n}, nullptr, Plain<Sum>, Sum, {}},
      {{.name = "Loop", .inputs = ab, .outputs = y}, nullptr, InALoop, TwiceTheSum, {}},
      {{.name = "Twice", .inputs = x, .outputs = y}, SameShape, TwiceForwarded, Twice, {{"y", "x"}}},
      {{.name = "Split", .inputs = x, .outputs = {"y: int32", "z: int32"}},
       BothLikeFirst,
       Plain<TwiceAndSame>,
       TwiceAndSame,
       {{"z", "x"}, {"y", "x"}}},
      {{.name = "LateTwice", .inputs = x, .outputs = y}, nullptr, TwiceForwarded, Twice, {}},
      {{.name = "Share", .inputs = x, .outputs = y}, SameShape, Share, Same, {}},
      {{.name = "LateShare", .inputs = x, .outputs = y}, nullptr, Share, Same, {}},
      {{.name = "Temporary", .inputs = ab, .outputs = y}, SameShape, ThroughATemporary, Sum, {}},
      {{.name = "LateTemporary", .inputs = ab, .outputs = y}, nullptr, ThroughATemporary, Sum, {}},
      {{.name = "Even", .inputs = x, .outputs = y}, nullptr, Plain<Even>, Even, {}},
      {{.name = "Deal", .inputs = x, .outputs = ys, .attrs = n}, nullptr, Plain<Deal>, Deal, {}},
      {{.name = "Chain", .inputs = xs, .outputs = y, .attrs = n}, nullptr, Plain<Chain>, Chain, {}},
      {{.name = "Turn", .inputs = x, .outputs = {"y: int32", "n: int32"}},
       SameShape,
       Plain<TurnAndCount>,
       TurnAndCount,
       {}},
      {{.name = "Keep", .inputs = x, .outputs = y}, nullptr, Keep, Same, {}, CreateKeeper, DestroyKeeper},
      {{.name = "Texts", .inputs = x, .outputs = t}, SameShape, WriteTexts, Lengths, {}},
      {{.name = "ShareTexts", .inputs = t, .outputs = {"y: string"}}, nullptr, Share, Same, {}},
      {{.name = "Read", .inputs = t, .outputs = y}, SameShape, ReadTexts, Same, {}},
  };
  return ops;
}

inline void AddTo(InProcessOps& ops) {
  for (const Op& op : Ops()) {
    ops.Add(op.strings, op.shape, op.compute, op.create);
    ops.LastKernel().aliases = op.aliases;
    ops.LastKernel().destroy = op.destroy;
  }
}

}  // namespace opsrun::host::reference
