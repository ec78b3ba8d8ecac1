// compat/tests/ported/word_counts_op.cc: a typical source for TensorFlow, which opsrun builds unchanged.
// SPDX-License-Identifier: Apache-2.0
#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/public/version.h"
#include "tensorflow/core/util/work_sharder.h"

#if TF_MAJOR_VERSION < 2
#error "this op needs TensorFlow 2"
#endif

namespace tensorflow {

REGISTER_OP("WordCounts")
    .Input("texts: string")
    .Output("words: string")
    .Output("counts: int32")
    .Attr("min_count: int >= 1 = 1")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle texts;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &texts));
      c->set_output(0, c->Vector(c->UnknownDim()));
      c->set_output(1, c->Vector(c->UnknownDim()));
      return absl::OkStatus();
    });

absl::StatusOr<std::vector<std::string>> WordsOf(absl::string_view text) {
  std::vector<std::string> words = absl::StrSplit(absl::AsciiStrToLower(text), ' ', absl::SkipEmpty());
  for (const std::string& word : words) {
    if (absl::StrContains(word, '\0')) return absl::InvalidArgumentError(absl::StrCat("'", text, "' is binary"));
  }
  return words;
}

class WordCountsOp : public OpKernel {
 public:
  explicit WordCountsOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ctx->GetAttr("min_count", &min_count_));
  }

  void Compute(OpKernelContext* ctx) override {
    const auto texts = ctx->input(0).vec<tstring>();
    absl::flat_hash_map<std::string, int> counts;
    mutex mu;
    auto* workers = ctx->device()->tensorflow_cpu_worker_threads();
    Shard(workers->num_threads, workers->workers, texts.size(), 1000, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) OP_REQUIRES_OK(ctx, Count(texts(i), &mu, &counts));
    });
    if (!ctx->status().ok()) return;

    std::vector<std::pair<std::string, int>> kept(counts.begin(), counts.end());
    kept.erase(std::remove_if(kept.begin(), kept.end(), [&](const auto& word) { return word.second < min_count_; }),
               kept.end());
    std::sort(kept.begin(), kept.end());
    VLOG(1) << kept.size() << " of " << counts.size() << " words are kept";
    Tensor *words = nullptr, *numbers = nullptr;
    const TensorShape shape({static_cast<int64_t>(kept.size())});
    OP_REQUIRES_OK(ctx, ctx->allocate_output("words", shape, &words));
    OP_REQUIRES_OK(ctx, ctx->allocate_output("counts", shape, &numbers));
    for (size_t i = 0; i < kept.size(); ++i) {
      words->vec<tstring>()(i) = kept[i].first;
      numbers->vec<int32>()(i) = kept[i].second;
    }
  }

 private:
  Status Count(absl::string_view text, mutex* mu, absl::flat_hash_map<std::string, int>* counts) {
    TF_ASSIGN_OR_RETURN(const std::vector<std::string> words, WordsOf(text));
    mutex_lock lock(*mu);
    for (const std::string& word : words) ++(*counts)[word];
    return OkStatus();
  }

  int min_count_;
};

REGISTER_KERNEL_BUILDER(Name("WordCounts").Device(DEVICE_CPU), WordCountsOp);

}  // namespace tensorflow
