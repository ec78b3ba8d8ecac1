// compat/tests/absl/types_test.cc: spans, and std types under abseil's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "every_absl_header.h"

namespace {

struct Attr {
  static ABSL_ATTRIBUTE_ALWAYS_INLINE int Always() { return 1; }
  static ABSL_ATTRIBUTE_NOINLINE int Never() { return 2; }
  static ABSL_ATTRIBUTE_COLD int Rarely() { return 3; }
  static ABSL_ATTRIBUTE_HOT int Often() { return 4; }
  static ABSL_ATTRIBUTE_NORETURN void End() { exit(1); }
  ABSL_ATTRIBUTE_NO_SANITIZE_ADDRESS ABSL_ATTRIBUTE_NO_SANITIZE_MEMORY ABSL_ATTRIBUTE_NO_SANITIZE_THREAD
      ABSL_ATTRIBUTE_NO_SANITIZE_UNDEFINED static int
      Unwatched() {
    return 5;
  }
  ABSL_MUST_USE_RESULT static int MustUse() { return 6; }
  ABSL_ATTRIBUTE_NONNULL(1) static int First(const int* numbers) { return *numbers; }
  ABSL_ATTRIBUTE_RETURNS_NONNULL static const char* Text() { return "text"; }
  static const std::string& Same(const std::string& text ABSL_ATTRIBUTE_LIFETIME_BOUND) { return text; }
  ABSL_DEPRECATED("use Text") ABSL_ATTRIBUTE_UNUSED static const char* OldText() { return "old"; }
};
int Print(char* to, size_t size, const char* format, ...) ABSL_PRINTF_ATTRIBUTE(3, 4);
int Print(char* to, size_t size, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  return n;
}
struct ABSL_ATTRIBUTE_PACKED Packed {
  char c;
  int i;
};
struct ABSL_CACHELINE_ALIGNED Aligned {
  int i;
};
ABSL_CONST_INIT const int kSetAtStart = 8;

}  // namespace

ABSL_ATTRIBUTE_WEAK int Replaceable() {
  return 7;
}

namespace {

TEST(AbslAttributes, ChangeNoResult) {
  const int number = 9;
  EXPECT_EQ(Attr::Always() + Attr::Never() + Attr::Rarely() + Attr::Often() + Attr::Unwatched() + Attr::MustUse(), 21);
  EXPECT_EQ(Attr::First(&number) + kSetAtStart + Replaceable(), 24);
  EXPECT_STREQ(Attr::Text(), "text");
  EXPECT_EQ(Attr::Same("same").size(), 4u);
  char text[8];
  EXPECT_EQ(Print(text, sizeof(text), "%d", 12), 2);
}

TEST(AbslAttributes, LayOutMemory) {
  EXPECT_EQ(sizeof(Packed), 5u);
  EXPECT_EQ(alignof(Aligned), size_t{ABSL_CACHELINE_SIZE});
}

TEST(AbslAttributes, EndTheProcess) {
  EXPECT_EXIT(Attr::End(), ::testing::ExitedWithCode(1), "");
}

int Steps(int from) {
  int steps = 0;
  switch (from) {
    case 0:
      ++steps;
      ABSL_FALLTHROUGH_INTENDED;
    case 1:
      ++steps;
      break;
    default:
      break;
  }
  return steps;
}
int Divided(int a, int b) {
  ABSL_ASSUME(b > 0);
  const int quotient = Attr::Never() * a / b;
  ABSL_BLOCK_TAIL_CALL_OPTIMIZATION();
  return quotient;
}

TEST(AbslOptimization, HintsChangeNoResult) {
  EXPECT_EQ(Steps(0), 2);
  EXPECT_EQ(Steps(1), 1);
  EXPECT_EQ(Divided(6, 4), 3);
  EXPECT_TRUE(ABSL_PREDICT_TRUE(7));
  EXPECT_FALSE(ABSL_PREDICT_FALSE(0));
}

TEST(AbslMacros, AssertWhatHolds) {
  ABSL_ASSERT(Attr::Always() == 1);
  ABSL_HARDENING_ASSERT(Attr::Always() == 1);
  const int numbers[] = {1, 2, 3};
  static_assert(ABSL_ARRAYSIZE(numbers) == 3, "it is known to the compiler");
}

TEST(AbslConfig, KnowsTheOrderOfBytes) {
  const uint32_t number = 1;
  char first;
  memcpy(&first, &number, 1);
#ifdef ABSL_IS_LITTLE_ENDIAN
  EXPECT_EQ(first, 1);
#endif
#ifdef ABSL_IS_BIG_ENDIAN
  EXPECT_EQ(first, 0);
#endif
#if ABSL_HAVE_BUILTIN(__builtin_not_a_builtin)
  ADD_FAILURE() << "there is no such builtin";
#endif
}

TEST(AbslLogSeverity, IsOrdered) {
  EXPECT_LT(absl::LogSeverity::kInfo, absl::LogSeverity::kWarning);
  EXPECT_LT(absl::LogSeverity::kError, absl::LogSeverity::kFatal);
  EXPECT_EQ(static_cast<int>(absl::LogSeverity::kFatal), 3);
}

struct Animal {
  virtual ~Animal() = default;
};
struct Cat : Animal {
  int lives = 9;
};

TEST(AbslCasts, Convert) {
  Cat cat;
  Animal* const animal = absl::implicit_cast<Animal*>(&cat);
  EXPECT_EQ(animal, &cat);
  EXPECT_EQ(absl::implicit_cast<double>(3), 3.0);
  EXPECT_EQ(absl::bit_cast<int64_t>(-0.0), std::numeric_limits<int64_t>::min());
}

TEST(AbslSpan, HasTheTypesOfAContainer) {
  typedef absl::Span<const int> Span;
  static_assert(std::is_same_v<Span::element_type, const int> && std::is_same_v<Span::value_type, int>, "");
  static_assert(std::is_same_v<Span::pointer, const int*> && std::is_same_v<Span::reference, const int&>, "");
  static_assert(std::is_same_v<Span::const_reference, const int&> && std::is_same_v<Span::size_type, size_t>, "");
  static_assert(std::is_same_v<Span::iterator, const int*> && std::is_same_v<Span::const_iterator, const int*>, "");
  static_assert(std::is_same_v<Span::difference_type, ptrdiff_t>, "");
  static_assert(std::is_same_v<Span::reverse_iterator, std::reverse_iterator<const int*>>, "");
  EXPECT_EQ(Span::npos, ~size_t{0});
}

TEST(AbslSpan, ShowsItsElements) {
  std::vector<int> values = {1, 2, 3, 4};
  const absl::Span<const int> span = values;
  EXPECT_EQ(span.data(), values.data());
  EXPECT_EQ(span.length() + span.size(), 8u);
  EXPECT_FALSE(span.empty());
  EXPECT_TRUE(absl::Span<int>().empty());
  EXPECT_EQ(span.front() + span.back() + span.at(1), 7);
  EXPECT_EQ(std::vector<int>(span.cbegin(), span.cend()), values);
  EXPECT_EQ(std::vector<int>(span.rbegin(), span.rend()), (std::vector<int>{4, 3, 2, 1}));
  EXPECT_EQ(std::vector<int>(span.begin(), span.end()), values);
}

TEST(AbslSpan, HasParts) {
  std::vector<int> values = {1, 2, 3, 4};
  absl::Span<int> span = absl::MakeSpan(values.data(), values.data() + 3);
  span.remove_prefix(1);
  EXPECT_EQ(span, absl::MakeSpan(&values[1], 2));
  EXPECT_EQ(span.last(1)[0], 3);
  EXPECT_EQ(absl::MakeConstSpan(values).subspan(1, 2), span);
  EXPECT_NE(absl::MakeConstSpan(values.data(), 2), span);
  EXPECT_EQ(absl::MakeConstSpan(values.data() + 1, values.data() + 3), span);
  int array[] = {2, 3};
  EXPECT_EQ(absl::MakeSpan(array), span);
  EXPECT_EQ(absl::MakeConstSpan(array), span);
}

int Sum(absl::Span<const int> values) {
  int sum = 0;
  for (const int value : values) sum += value;
  return sum;
}

TEST(AbslSpan, TakesWhatHasElements) {
  std::vector<int> vector = {1, 2, 3};
  const int array[] = {4, 5};
  EXPECT_EQ(Sum(vector), 6);
  EXPECT_EQ(Sum(array), 9);
  EXPECT_EQ(Sum({1, 1}), 2);
  EXPECT_EQ(Sum(absl::MakeConstSpan(vector).subspan(1)), 5);
  EXPECT_EQ(Sum(absl::InlinedVector<int, 2>{7}), 7);
  absl::Span<int> writable = absl::MakeSpan(vector);
  writable[0] = 10;
  writable.remove_suffix(1);
  EXPECT_EQ(Sum(writable.first(1)), 10);
  EXPECT_TRUE(absl::Span<const int>(vector) == absl::MakeConstSpan(vector));
}

TEST(AbslOptional, SaysThatThereIsNone) {
  const absl::optional<int> none(absl::nullopt);
  EXPECT_THROW(none.value(), absl::bad_optional_access);
  EXPECT_EQ(*absl::make_optional(3), 3);
  EXPECT_EQ(absl::optional<std::string>(absl::in_place, 2, 'x'), "xx");
  static_assert(std::is_same_v<absl::remove_cvref_t<decltype(absl::in_place)>, absl::in_place_t>, "");
  static_assert(std::is_same_v<absl::remove_cvref_t<decltype(absl::nullopt)>, absl::nullopt_t>, "");
  EXPECT_EQ(none.value_or(3), 3);
}

TEST(AbslVariant, HoldsOneOfItsTypes) {
  typedef absl::variant<absl::monostate, int, std::string> Value;
  Value value;
  EXPECT_TRUE(absl::holds_alternative<absl::monostate>(value));
  value = 3;
  EXPECT_EQ(*absl::get_if<int>(&value), 3);
  EXPECT_EQ(absl::get_if<std::string>(&value), nullptr);
  EXPECT_THROW(absl::get<std::string>(value), absl::bad_variant_access);
  EXPECT_EQ(absl::visit([](const auto& held) { return sizeof(held); }, value), sizeof(int));
  static_assert(std::is_same_v<absl::variant_alternative_t<1, Value>, int>, "");
  static_assert(absl::variant_size<Value>::value == 3, "");
}

TEST(AbslAny, HoldsAnything) {
  const absl::any text = absl::make_any<std::string>("abc");
  EXPECT_EQ(absl::any_cast<const std::string&>(text), "abc");
  EXPECT_THROW(absl::any_cast<int>(text), absl::bad_any_cast);
}

template <size_t... kIndices>
size_t SumOf(absl::index_sequence<kIndices...>) {
  return (kIndices + ...);
}
template <typename... T>
size_t CountOf(const std::tuple<T...>&) {
  return SumOf(absl::index_sequence_for<T...>());
}

TEST(AbslUtility, MovesAndForwards) {
  std::string text = "abc";
  const std::string taken = absl::move(text);
  EXPECT_EQ(absl::forward<const std::string&>(taken), "abc");
  int number = 1;
  EXPECT_EQ(absl::exchange(number, 2) + number, 3);
}

TEST(AbslUtility, TakesTuples) {
  EXPECT_EQ(absl::apply([](int a, int b) { return a - b; }, std::make_tuple(5, 3)), 2);
  EXPECT_EQ((absl::make_from_tuple<std::pair<int, int>>(std::make_tuple(1, 2))), std::make_pair(1, 2));
  EXPECT_EQ(SumOf(absl::make_index_sequence<4>()), 6u);
  EXPECT_EQ(CountOf(std::make_tuple(1, 2, 3)), 3u);
  static_assert(std::is_same_v<absl::index_sequence<1>, absl::integer_sequence<size_t, 1>>, "");
  const absl::in_place_type_t<std::string> text = absl::in_place_type<std::string>;
  const absl::in_place_index_t<1> second = absl::in_place_index<1>;
  typedef absl::variant<int, std::string> Value;
  EXPECT_EQ(Value(text, "a"), Value(second, "a"));
}

enum class Small : int8_t { kOne = 1 };
int Call(double) {
  return 0;
}

TEST(AbslTypeTraits, AreThoseOfTheStandard) {
  static_assert(std::is_same_v<absl::add_const_t<int>, const int>, "");
  static_assert(std::is_same_v<absl::common_type_t<int, double>, double>, "");
  static_assert(std::is_same_v<absl::conditional_t<true, int, char>, int>, "");
  static_assert(absl::conjunction<std::true_type, absl::negation<std::false_type>>::value, "");
  static_assert(absl::disjunction<std::false_type, std::true_type>::value, "");
  static_assert(std::is_same_v<absl::decay_t<const int&>, int>, "");
  static_assert(std::is_same_v<absl::enable_if_t<true, int>, int>, "");
  static_assert(absl::is_trivially_copy_constructible<int>::value, "");
  static_assert(!absl::is_trivially_destructible<std::string>::value, "");
  static_assert(std::is_same_v<absl::make_signed_t<unsigned>, int>, "");
  static_assert(std::is_same_v<absl::make_unsigned_t<int>, unsigned>, "");
  static_assert(std::is_same_v<absl::remove_const_t<const int>, int>, "");
  static_assert(std::is_same_v<absl::remove_cv_t<const volatile int>, int>, "");
  static_assert(std::is_same_v<absl::remove_pointer_t<int*>, int>, "");
  static_assert(std::is_same_v<absl::remove_reference_t<int&>, int>, "");
  static_assert(std::is_same_v<absl::result_of_t<decltype (&Call)(double)>, int>, "");
  static_assert(std::is_same_v<absl::underlying_type_t<Small>, int8_t>, "");
  static_assert(std::is_same_v<absl::void_t<int>, void>, "");
  EXPECT_EQ(Call(0), 0);
}

TEST(AbslMemory, WatchesSharedObjects) {
  auto shared = std::make_shared<int>(3);
  const std::weak_ptr<int> weak = absl::WeakenPtr(shared);
  EXPECT_EQ(*weak.lock(), 3);
  shared.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_EQ(*absl::make_unique<int>(4) + *absl::WrapUnique(new int(6)), 10);
}

}  // namespace
