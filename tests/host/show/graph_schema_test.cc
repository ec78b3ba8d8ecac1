// tests/host/show/graph_schema_test.cc: what the schema says of ops, as far as examples/graph.schema.json does not.
// tests/graphs/schema_test.py compares that, and tries it on graphs.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/graph_schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

using Json = nlohmann::json;

// Plugins in one place, and the schema of all their ops, which are added by name.
class Plugins {
 public:
  void Add(const std::string& name, std::vector<spec::OpStrings> ops, const std::string& label = "") {
    CatalogEntry& entry = catalog_.entries.emplace_back();
    entry.path = name + ".so";
    entry.note.name = name;
    Plugin& plugin = *opened_.emplace_back(std::make_shared<Plugin>());
    plugin.name = name;
    for (const spec::OpStrings& strings : ops) {
      entry.note.ops.push_back(strings.name);
      RegisteredOp& op = plugin.ops.emplace_back();
      op.plugin = &plugin;
      const std::vector<spec::SpecError> errors = spec::ParseOp(strings, &op.def);
      EXPECT_TRUE(errors.empty()) << spec::SpecErrorsText(strings.name, errors);
      RegisteredKernel& kernel = plugin.kernels.emplace_back();
      kernel.def.op = strings.name;
      kernel.def.label = label;
    }
  }

  std::string Text() {
    RegistryBuilder builder(catalog_);
    for (size_t i = 0; i < opened_.size(); ++i) builder.Add(i, opened_[i]);
    return GraphSchema(builder.Finish());
  }

 private:
  Catalog catalog_;
  std::vector<std::shared_ptr<Plugin>> opened_;
};

spec::OpStrings Op(const std::string& name, std::vector<std::string> inputs = {}, std::vector<std::string> attrs = {}) {
  spec::OpStrings strings;
  strings.name = name;
  strings.inputs = std::move(inputs);
  strings.attrs = std::move(attrs);
  strings.outputs = {"y: int32"};
  return strings;
}

// The definition of one op of plugin "p".
Json DefinitionOf(const spec::OpStrings& op, const std::string& label = "") {
  Plugins plugins;
  plugins.Add("p", {op}, label);
  return Json::parse(plugins.Text())["definitions"]["op.p." + op.name];
}

std::vector<std::string> OfferedOps(const Json& schema) {
  return schema["definitions"]["node"]["properties"]["op"]["anyOf"][0]["enum"];
}

TEST(GraphSchema, KnowsNumbersOfListsAndNoDefaultsWithoutAWordInJson) {
  const Json keys = DefinitionOf(Op("Blend", {},
                                    {"gains: list(float) >= 2", "to: shape = {unknown_rank: true}",
                                     "far: float = inf"}))["properties"]["attrs"]["properties"];
  EXPECT_EQ(keys["gains"]["items"]["type"], "number");
  EXPECT_FALSE(keys["to"].contains("default"));
  EXPECT_FALSE(keys["far"].contains("default"));
}

TEST(GraphSchema, SaysThatAnOpIsDeprecatedAndOffersLabels) {
  spec::OpStrings old = Op("Old");
  old.deprecated_version = 3;
  old.deprecated_text = "use New";
  EXPECT_EQ(DefinitionOf(old)["properties"]["op"]["deprecationMessage"], "deprecated: use New");
  EXPECT_EQ(DefinitionOf(old, "fast")["properties"]["label"]["enum"], Json{"fast"});
  EXPECT_EQ(DefinitionOf(old)["properties"]["label"], false);
}

TEST(GraphSchema, OffersWhatGraphsCanUseWithThePluginWhereTwoHaveIt) {
  Plugins plugins;
  plugins.Add("a", {Op("Mine"), Op("Same"), Op("Variable", {"ref: Ref(int32)"})});
  plugins.Add("b", {Op("Same")});
  EXPECT_EQ(OfferedOps(Json::parse(plugins.Text())), (std::vector<std::string>{"Mine", "a.Same", "b.Same"}));
}

TEST(GraphSchema, IsWholeWhateverPluginsSay) {
  Plugins plugins;
  spec::OpStrings op = Op("Odd", {"x: int32"});
  op.doc = "A \"quote\", a \\ and \xFF\xFE.\n\nx: </script>\x01";
  plugins.Add("a~b/c \"d", {op});
  plugins.Add("a~b/c 'd", {Op("Odd2")});
  const Json schema = Json::parse(plugins.Text());
  EXPECT_TRUE(schema["definitions"].contains("op.a_b_c__d.Odd"));
  EXPECT_NE(
      schema["definitions"]["op.a_b_c__d.Odd"]["properties"]["op"]["description"].get<std::string>().find("quote"),
      std::string::npos);
}

TEST(GraphSchema, TakesALineForEachOfAThousandOps) {
  Plugins none, many;
  std::vector<spec::OpStrings> ops;
  for (int i = 0; i < 1000; ++i)
    ops.push_back(Op("Op" + std::to_string(i), {"x: T"}, {"T: realnumbertype", "n: int = 1"}));
  many.Add("p", ops);
  const std::string few = none.Text(), text = many.Text();
  const auto lines = [](const std::string& of) { return std::count(of.begin(), of.end(), '\n'); };
  EXPECT_LT(lines(text) - lines(few), 1100);
  EXPECT_LT(text.size(), size_t{2} << 20);
  const Json schema = Json::parse(text);
  EXPECT_EQ(OfferedOps(schema).size(), 1000u);
  EXPECT_LT(schema["definitions"]["node.by_op"]["allOf"].size(), 40u) << "so many conditions are looked at for a node";
  EXPECT_TRUE(schema["definitions"].contains("node.by_op.32"));
}

}  // namespace

}  // namespace opsrun::host
