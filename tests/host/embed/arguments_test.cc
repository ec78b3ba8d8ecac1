// tests/host/embed/arguments_test.cc: each bit of each flag and reserved word that embed.h does not name is refused,
// and so is each size that no level has.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <functional>

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

// A field of a struct: the bits that may be set, and the code for the others.
struct Word {
  const char* name;
  size_t at, bytes;
  uint64_t known;
  int32_t code;
  uint64_t of_machine = 0;  // bits that name a GPU, which may be there
};
#define WORD(type, field, known, code) \
  { #type "." #field, offsetof(type, field), sizeof(type::field), known, code }
#define DEVICE(type) \
  { #type ".device", offsetof(type, device), sizeof(type::device), OPSRUN_DEVICE_CPU, kRefused, OPSRUN_DEVICE_CUDA }

constexpr int32_t kRefused = OPSRUN_INVALID_ARGUMENT, kLater = OPSRUN_UNIMPLEMENTED;

// Passes a struct to the library in calls that succeed if it is `valid`.
template <typename T>
struct Passing {
  T valid;
  std::function<int32_t(const T*, opsrun_report**)> pass;

  // The code; the report says F306, or G214 for attrs.
  int32_t CodeFor(const T& given) const {
    opsrun_report* made = nullptr;
    const int32_t code = pass(&given, &made);
    const Report report(made);
    EXPECT_EQ(code == OPSRUN_OK, report.empty()) << code;
    EXPECT_THAT(CodesOf(report), testing::AnyOf("", "F306 ", "F305 ", "G214 "));
    return code;
  }

  void TryEachBit(const std::vector<Word>& words) const {
    EXPECT_EQ(CodeFor(valid), OPSRUN_OK);
    for (const Word& word : words) {
      for (size_t bit = 0; bit < 8 * word.bytes; ++bit) {
        SCOPED_TRACE(word.name + (" bit " + std::to_string(bit)));
        T given = valid;
        char byte = 0;
        char* const at = reinterpret_cast<char*>(&given) + word.at + bit / 8;
        std::memcpy(&byte, at, 1);
        byte = static_cast<char>(byte ^ (1 << bit % 8));
        std::memcpy(at, &byte, 1);
        const bool known = bit < 64 && (word.known >> bit & 1) != 0;
        if (bit < 64 && (word.of_machine >> bit & 1) != 0) continue;
        EXPECT_EQ(CodeFor(given), known ? OPSRUN_OK : word.code);
      }
    }
  }

  // For a growing struct.
  void TryEachSize() const {
    struct Longer {
      T known;
      uint64_t more[2];
    } longer{valid, {0, 0}};
    for (uint32_t size = 0; size < sizeof(T); ++size) {
      longer.known.size = size;
      EXPECT_EQ(CodeFor(longer.known), kRefused) << size;
    }
    longer.known.size = sizeof(longer);
    EXPECT_EQ(CodeFor(longer.known), OPSRUN_OK) << "fields of a later level that are zero";
    for (size_t bit = 0; bit < 128; ++bit) {
      std::memset(longer.more, 0, sizeof(longer.more));
      longer.more[bit / 64] = uint64_t{1} << bit % 64;
      EXPECT_EQ(CodeFor(longer.known), kLater) << bit;
    }
    for (const uint32_t size : {sizeof(T) + 1, sizeof(T) + 4, sizeof(T) + 7, size_t{4104}, size_t{0xFFFFFFF8}}) {
      longer.known.size = size;
      EXPECT_EQ(CodeFor(longer.known), kRefused) << size;
    }
  }
};

template <typename T>
T Sized() {
  T made{};
  made.size = sizeof(made);
  return made;
}

class Arguments : public testing::Test {
 protected:
  int32_t Run(const opsrun_in* in, opsrun_out* out, const opsrun_run_options* options, opsrun_report** report) {
    const int32_t code = opsrun_graph_run(graph_.get(), in, 1, out, 1, options, report);
    if (code == OPSRUN_OK) opsrun_outs_free(out, 1);
    return code;
  }
  int32_t Prepare(const opsrun_op_input* input, const opsrun_attr* attr, const opsrun_prepare_options* options,
                  opsrun_report** report) {
    opsrun_prepared* prepared = nullptr;
    const int32_t code =
        opsrun_engine_prepare(engine_.get(), Str("ZeroOut"), input, 1, attr, 1, options, &prepared, report);
    EXPECT_EQ(code == OPSRUN_OK, prepared != nullptr);
    opsrun_prepared_destroy(prepared);
    return code;
  }

  const Engine engine_ = Bundled();
  const Graph graph_ = engine_.LoadText("test.yaml", kZeroOut);
  int32_t numbers_[1] = {7}, zeroed_[1] = {};
  const int64_t one_[1] = {1};
  const opsrun_array array_{numbers_, one_, nullptr, kInt32, 1, {}};
  const opsrun_array into_{zeroed_, one_, nullptr, kInt32, 1, {}};
  const opsrun_in in_{nullptr, &array_, 0, 0, nullptr, {}};
  const opsrun_op_input input_{Str("to_zero"), kInt32, 1, one_, 0, 0};
  const Attr attr_ = Attr::Int("preserve_index", 0);
};

TEST_F(Arguments, OfAnEngine) {
  auto valid = Sized<opsrun_engine_options>();
  valid.flags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS;
  const Passing<opsrun_engine_options> options{valid, [](const opsrun_engine_options* given, opsrun_report** report) {
                                                 opsrun_engine* engine = nullptr;
                                                 const int32_t code = opsrun_engine_create(given, &engine, report);
                                                 EXPECT_EQ(code == OPSRUN_OK, engine != nullptr);
                                                 opsrun_engine_destroy(engine);
                                                 return code;
                                               }};
  options.TryEachBit({WORD(opsrun_engine_options, flags, 63, kRefused)});
  options.TryEachSize();
  opsrun_engine* engine = nullptr;
  EXPECT_EQ(opsrun_engine_create_at_level(0, &valid, &engine, nullptr), kRefused);
  EXPECT_EQ(opsrun_engine_create_at_level(99, &valid, &engine, nullptr), OPSRUN_OK) << "the program is newer";
  opsrun_engine_destroy(engine);
}

TEST_F(Arguments, OfAGraph) {
  const Passing<opsrun_graph_options> options{
      Sized<opsrun_graph_options>(), [&](const opsrun_graph_options* given, opsrun_report** report) {
        opsrun_graph* graph = nullptr;
        const int32_t code = opsrun_graph_load_text(engine_.get(), Str("g.yaml"), Str(kZeroOut), given, &graph, report);
        opsrun_graph_destroy(graph);
        return code;
      }};
  options.TryEachBit({WORD(opsrun_graph_options, flags, OPSRUN_GRAPH_STRICT, kRefused)});
  options.TryEachSize();
}

TEST_F(Arguments, OfARun) {
  const Passing<opsrun_run_options> options{Sized<opsrun_run_options>(),
                                            [&](const opsrun_run_options* given, opsrun_report** report) {
                                              opsrun_out out{};
                                              return Run(&in_, &out, given, report);
                                            }};
  options.TryEachBit({WORD(opsrun_run_options, flags, 0, kRefused), WORD(opsrun_run_options, stream, 0, kRefused)});
  options.TryEachSize();
}

TEST_F(Arguments, ThatAreTensors) {
  const Passing<opsrun_in> in{in_, [&](const opsrun_in* given, opsrun_report** report) {
                                opsrun_out out{};
                                return Run(given, &out, nullptr, report);
                              }};
  in.TryEachBit({WORD(opsrun_in, dtype, 0, kRefused), WORD(opsrun_in, flags, 0, kRefused),
                 WORD(opsrun_in, stream, 0, kRefused), WORD(opsrun_in, reserved, 0, kRefused)});
  const Passing<opsrun_out> out{{}, [&](const opsrun_out* given, opsrun_report** report) {
                                  opsrun_out out = *given;
                                  return Run(&in_, &out, nullptr, report);
                                }};
  out.TryEachBit({DEVICE(opsrun_out), WORD(opsrun_out, stream, 0, kRefused), WORD(opsrun_out, reserved, 0, kRefused)});
  const std::vector<Word> of_array = {DEVICE(opsrun_array)};
  Passing<opsrun_array>{array_,
                        [&](const opsrun_array* given, opsrun_report** report) {
                          const opsrun_in taken{nullptr, given, 0, 0, nullptr, {}};
                          opsrun_out result{};
                          return Run(&taken, &result, nullptr, report);
                        }}
      .TryEachBit(of_array);
  Passing<opsrun_array>{into_,
                        [&](const opsrun_array* given, opsrun_report** report) {
                          opsrun_out result{};
                          result.into = given;
                          return Run(&in_, &result, nullptr, report);
                        }}
      .TryEachBit(of_array);
}

TEST_F(Arguments, OfASingleOp) {
  const Passing<opsrun_prepare_options> options{Sized<opsrun_prepare_options>(),
                                                [&](const opsrun_prepare_options* given, opsrun_report** report) {
                                                  return Prepare(&input_, &attr_.get(), given, report);
                                                }};
  options.TryEachBit({WORD(opsrun_prepare_options, flags, 0, kRefused)});
  options.TryEachSize();
  const Passing<opsrun_op_input> input{input_, [&](const opsrun_op_input* given, opsrun_report** report) {
                                         return Prepare(given, &attr_.get(), nullptr, report);
                                       }};
  input.TryEachBit({WORD(opsrun_op_input, reserved, 0, kRefused)});
  opsrun_op_input wrong = input_;
  wrong.list = 3;
  EXPECT_EQ(input.CodeFor(wrong), kRefused);
  const Passing<opsrun_attr> attr{attr_.get(), [&](const opsrun_attr* given, opsrun_report** report) {
                                    return Prepare(&input_, given, nullptr, report);
                                  }};
  attr.TryEachBit({WORD(opsrun_attr, reserved, 0, kRefused)});
}

TEST_F(Arguments, OfANode) {
  const opsrun_str x = Str("x");
  const opsrun_node_input source{{nullptr, 0}, &x, 1, 0};
  auto valid = Sized<opsrun_node>();
  valid.name = Str("z");
  valid.op = Str("ZeroOut");
  valid.inputs = &source;
  valid.n_inputs = 1;
  const auto add = [](const opsrun_node* given, opsrun_report** report) {
    const Builder builder;
    return opsrun_builder_node(builder.get(), given, report);
  };
  const Passing<opsrun_node> node{valid, add};
  node.TryEachBit({WORD(opsrun_node, reserved, 0, kRefused), WORD(opsrun_node, reserved_2, 0, kRefused)});
  node.TryEachSize();
  Passing<opsrun_node_input>{source,
                             [&](const opsrun_node_input* given, opsrun_report** report) {
                               opsrun_node with = valid;
                               with.inputs = given;
                               return add(&with, report);
                             }}
      .TryEachBit({WORD(opsrun_node_input, list, 1, kRefused)});
  const opsrun_partial shape{1, 0, one_};
  Passing<opsrun_partial>{shape,
                          [&](const opsrun_partial* given, opsrun_report** report) {
                            opsrun_attr attr{Str("shape"), OPSRUN_ATTR_SHAPE, 0, 1, {}};
                            attr.v.shapes = given;
                            opsrun_node with = valid;
                            with.attrs = &attr;
                            with.n_attrs = 1;
                            return add(&with, report);
                          }}
      .TryEachBit({WORD(opsrun_partial, reserved, 0, kRefused)});
}

TEST_F(Arguments, OfAPlanAndOfAnInference) {
  const auto plan = [&](const uint32_t* flags, opsrun_report** report) {
    opsrun_text* text = nullptr;
    const int32_t code = opsrun_graph_plan(graph_.get(), nullptr, 0, *flags, &text, report);
    opsrun_text_free(text);
    return code;
  };
  Passing<uint32_t>{0, plan}.TryEachBit({{"flags", 0, sizeof(uint32_t), OPSRUN_PLAN_JSON, kRefused}});

  opsrun_typed_op* typed = nullptr;
  const opsrun_op_input* const inputs = &input_;
  ASSERT_EQ(opsrun_engine_type_op(engine_.get(), Str("ZeroOut"), inputs, 1, nullptr, 0, &typed, nullptr), OPSRUN_OK);
  const auto infer = [&](const opsrun_known_input& given, opsrun_report** report) {
    opsrun_shapes* shapes = nullptr;
    const int32_t code = opsrun_typed_op_infer(typed, &given, 1, &shapes, report);
    opsrun_shapes_free(shapes);
    return code;
  };
  const opsrun_known_sizes sizes{1, 0, one_, nullptr};
  Passing<opsrun_known_sizes>{sizes,
                              [&](const opsrun_known_sizes* given, opsrun_report** report) {
                                return infer({*given, nullptr, kNothing}, report);
                              }}
      .TryEachBit({WORD(opsrun_known_sizes, reserved, 0, kRefused)});
  opsrun_typed_op_destroy(typed);
}

}  // namespace
}  // namespace opsrun_test
