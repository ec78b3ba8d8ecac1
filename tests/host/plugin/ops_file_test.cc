// ops_file_test.cc: what a file beside a plugin may say, and the message and the place of what it may not say.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/ops_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

int32_t OwnShape(void*, opsrun_shape_call*) {
  return OPSRUN_OK;
}

class OpsFileTest : public testing::Test {
 protected:
  OpsFileTest() {
    plugin_.name = "library";
    plugin_.dropped_ops = {"Later"};
    Add("Bare");
    RegisteredOp& own = Add("Own");
    own.gradient = "outputs: {x: null}";
    own.shape = OwnShape;
    own.def.summary = "its own words";
    own.def.batch = spec::BatchDef{"(m),()->(),()", {1, 0}, {0, 0}};
  }

  RegisteredOp& Add(const char* name) {
    spec::OpStrings strings;
    strings.name = name;
    strings.attrs = {"k: int", "sizes: list(int) = []", "mode: string = 'a'", "N: int"};
    strings.inputs = {"x: float", "values: N * float"};
    strings.outputs = {"y: float", "each: N * float"};
    RegisteredOp& op = plugin_.ops.emplace_back();
    EXPECT_TRUE(spec::ParseOp(strings, &op.def).empty());
    return op;
  }

  // "LINE:COLUMN: MESSAGE" of every error.
  std::vector<std::string> Errors(const std::string& text) {
    Diagnostics found;
    AddOps(std::make_shared<const SourceFile>(SourceFile{"library.opsrun.yaml", text}), plugin_, found);
    std::vector<std::string> errors;
    for (const Diagnostic& d : found.all()) {
      EXPECT_FALSE(d.help.empty()) << d.message;
      errors.push_back(fmt::format("{}:{}: {}", d.where.begin.line, d.where.begin.column, d.message));
    }
    return errors;
  }

  std::vector<std::string> ErrorsOf(const std::string& bare) {
    return Errors("opsrun_ops: 1\nops:\n  Bare: {" + bare + "}\n");
  }

  const RegisteredOp& bare() const { return plugin_.ops[0]; }
  const RegisteredOp& own() const { return plugin_.ops[1]; }

  Plugin plugin_;
};

using All = std::vector<std::string>;

TEST_F(OpsFileTest, GivesAnOpWhatItLacks) {
  EXPECT_EQ(Errors("opsrun_ops: 1\n"
                   "ops:\n"
                   "  Later: {gradient: of a later level}\n"
                   "  Bare:\n"
                   "    doc: |\n"
                   "      In words.\n"
                   "      x: a tensor\n"
                   "    shape: {y: [x.0, 2 * (x.-1 + k) / sizes.1 - 1, -1, values.2.-4, 'max(k, ceil(2 * x.0 / k))'], "
                   "x: [-1, k], each: values}\n"
                   "    gradient:\n"
                   "      outputs: {x: null, values: null}\n"
                   "    broadcasts: (),(n)->(),(n)\n"),
            All());
  EXPECT_EQ(bare().def.summary, "In words.");
  EXPECT_EQ(bare().def.inputs[0].doc, "a tensor");
  EXPECT_EQ(bare().gradient, "outputs:\n  x: null\n  values: null\n");
  EXPECT_EQ(bare().shape_ctx, bare().beside.shape.get());
  const OpsFilePart& beside = bare().beside;
  EXPECT_EQ((std::vector<uint32_t>{beside.doc_line, beside.shape_line, beside.gradient_line, beside.batch_line}),
            (std::vector<uint32_t>{5, 8, 9, 11}));
  EXPECT_EQ(bare().def.batch->inputs, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(bare().def.flags, OPSRUN_OP_BROADCASTS);
}

TEST_F(OpsFileTest, ReplacesWhatThePluginHasOnlyIfItSaysSo) {
  const std::string parts = "    gradient: none\n    shape: {y: x}\n    doc: other words\n    batches: (),()->(),()\n";
  EXPECT_EQ(
      Errors("opsrun_ops: 1\nops:\n  Own:\n" + parts),
      (All{"4:5: op 'Own' already has a gradient in the plugin",
           "5:5: op 'Own' already has a shape function in the plugin", "6:5: op 'Own' already has a doc in the plugin",
           "7:5: op 'Own' already has a batch rule in the plugin"}));
  EXPECT_EQ(own().shape, OwnShape);
  EXPECT_EQ(own().gradient, "outputs: {x: null}");
  EXPECT_EQ(Errors("opsrun_ops: 1\nops:\n  Own:\n    replace: [gradient, shape, doc, batches]\n" + parts), All());
  EXPECT_EQ(own().shape, ShapeRule::Infer);
  EXPECT_EQ(own().gradient, "");
  EXPECT_EQ(own().def.flags, OPSRUN_OP_NOT_DIFFERENTIABLE);
  EXPECT_EQ(own().def.summary, "other words");
  EXPECT_EQ(own().def.batch->inputs, (std::vector<uint32_t>{0, 0}));
  EXPECT_EQ(Errors("opsrun_ops: 1\nops: {Own: {gradient: {outputs: {}}}}\n"),
            (All{"2:13: op 'Own' already has no gradient on purpose in the plugin"}));
}

TEST_F(OpsFileTest, RefusesOtherForms) {
  EXPECT_EQ(Errors("[1]\n"), (All{"1:1: the file must be a map, found a list"}));
  EXPECT_EQ(Errors("ops: {}\n"), (All{"1:1: the file has no 'opsrun_ops'"}));
  EXPECT_EQ(Errors("opsrun_ops: 2\n"), (All{"1:13: this opsrun reads 'opsrun_ops: 1', found '2'"}));
  EXPECT_EQ(Errors("opsrun_ops: 1\n"), (All{"1:1: the file has no 'ops'"}));
  EXPECT_EQ(Errors("opsrun_ops: 1\nops: {\n"), (All{"2:6: '{' is never closed"}));
  EXPECT_EQ(Errors("opsrun_ops: 1\nosp: {}\nops: {Bear: {}, Own: 3}\n"),
            (All{"2:1: unknown key 'osp' in the file", "3:7: plugin 'library' has no op 'Bear'",
                 "3:22: op 'Own' must be a map, found an integer '3'"}));
}

TEST_F(OpsFileTest, RefusesOtherParts) {
  EXPECT_EQ(ErrorsOf("gradeint: {}"), (All{"3:10: unknown key 'gradeint' in op 'Bare'"}));
  EXPECT_EQ(ErrorsOf("gradient: 'nodes: {}'"), (All{"3:20: 'gradient' must be a map, found a string 'nodes: {}'"}));
  EXPECT_EQ(ErrorsOf("gradient: "), (All{"3:10: 'gradient' must be a map, found nothing"}));
  EXPECT_EQ(ErrorsOf("doc: [a]"), (All{"3:15: 'doc' must be a string, found a list"}));
  EXPECT_EQ(
      ErrorsOf("doc: \"A.\\nz: b\""),
      (All{"3:10: op 'Bare': 'z' is not an input, output or attr of this op; inputs, outputs and attrs: x, values, "
           "y, each, k, sizes, mode, N"}));
  EXPECT_EQ(ErrorsOf("broadcasts: []"), (All{"3:22: 'broadcasts' must be a string, found a list"}));
  EXPECT_EQ(ErrorsOf("batches: '()->()'"), (All{"3:19: op 'Bare': it has sizes of 1 input, but the op has 2 inputs"}));
  EXPECT_EQ(ErrorsOf("batches: '(),()->(),()', broadcasts: '(),()->(),()'"),
            (All{"3:3: op 'Bare' has both 'broadcasts' and 'batches'"}));
  EXPECT_EQ(ErrorsOf("replace: gradient"),
            (All{"3:19: 'replace' of op 'Bare' must be a list, found a string 'gradient'"}));
  EXPECT_EQ(ErrorsOf("replace: [doc, names], doc: a"),
            (All{"3:25: 'replace' names 'names', which op 'Bare' does not have here"}));
  EXPECT_EQ(ErrorsOf("replace: [doc]"), (All{"3:20: 'replace' names 'doc', which op 'Bare' does not have here"}));
}

TEST_F(OpsFileTest, RefusesOtherShapes) {
  const auto of_y = [&](const std::string& rule) { return ErrorsOf("shape: {y: " + rule + "}"); };
  EXPECT_EQ(ErrorsOf("shape: [x.0]"), (All{"3:17: 'shape' must be a map, found a list"}));
  EXPECT_EQ(ErrorsOf("shape: {z: x}"), (All{"3:18: op 'Bare' has no output or input 'z'"}));
  EXPECT_EQ(of_y("z"), (All{"3:21: op 'Bare' has no input 'z'"}));
  EXPECT_EQ(of_y("values"), (All{"3:21: 'values' is a list, and not known to be as long as 'y'"}));
  EXPECT_EQ(of_y("{}"), (All{"3:21: the shape of 'y' must be a list or an input, found a map"}));
  EXPECT_EQ(of_y("[[3]]"), (All{"3:22: a size must be a number or a text, found a list"}));
  EXPECT_EQ(of_y("[x.y]"), (All{"3:24: expected a whole number, found 'y'"}));
  EXPECT_EQ(of_y("[9223372036854775808]"), (All{"3:40: this number is too large"}));
  EXPECT_EQ(of_y("[x]"), (All{"3:22: expected '.' and the number of a dimension, found the end"}));
  EXPECT_EQ(of_y("[2 * x.99]"), (All{"3:29: a tensor has at most 64 dimensions"}));
  EXPECT_EQ(of_y("[values.0]"), (All{"3:29: expected '.' and the number of a dimension, found the end"}));
  EXPECT_EQ(of_y("[2 * kk]"), (All{"3:26: op 'Bare' has no input or attr 'kk'; did you mean 'k'?"}));
  EXPECT_EQ(of_y("[mode]"), (All{"3:22: attr 'mode' is string, but a size is int, or an element of list(int)"}));
  EXPECT_EQ(of_y("[sizes]"), (All{"3:26: expected '.' and the number of an element of this list, found the end"}));
  EXPECT_EQ(of_y("[x.0 k, -2, 3.5]"), (All{"3:26: expected an operator +, -, * or /, or the end, found 'k'",
                                           "3:29: expected a size: a number, INPUT.AXIS or an attr, found '-'",
                                           "3:34: expected an operator +, -, * or /, or the end, found '.'"}));
  EXPECT_EQ(of_y("[min(x.0, k)]"), (All{"3:28: expected ',', found the end; in a list, put sizes with ',' in quotes",
                                        "3:32: expected an operator +, -, * or /, or the end, found ')'"}));
  EXPECT_EQ(of_y("['max(x.0 k)', 'min(k, 1']"),
            (All{"3:22: expected ',', found 'k'", "3:36: expected ')', found the end"}));
  EXPECT_EQ(
      of_y("[ceil(x.0), ceil(x.0 / k / 2)]"),
      (All{"3:30: expected the '/' of the division that is rounded up, found ')'", "3:46: expected ')', found '/'"}));
  EXPECT_EQ(of_y("[min, max.0, abs(k)]"),
            (All{"3:22: op 'Bare' has no input or attr 'min'; inputs and attrs: x, values, k, sizes, mode, N",
                 "3:27: op 'Bare' has no input or attr 'max'; inputs and attrs: x, values, k, sizes, mode, N",
                 "3:34: op 'Bare' has no input or attr 'abs'; inputs and attrs: x, values, k, sizes, mode, N"}));
  std::string deep = "1";
  for (int i = 0; i < 50; ++i) deep = "ceil(1/" + deep + ")";
  EXPECT_EQ(of_y("[" + deep + "]"), (All{"3:167: these parentheses are nested too deep"}));
  EXPECT_EQ(of_y("[" + std::string(50, '(') + "1]"), (All{"3:43: these parentheses are nested too deep"}));
  EXPECT_EQ(of_y("[" + std::string(2000, '1') + "]"), (All{"3:22: this size is longer than 1000 characters"}));
}

}  // namespace
}  // namespace opsrun::host
