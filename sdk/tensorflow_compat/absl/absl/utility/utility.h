// absl/utility/utility.h: absl::move, forward, exchange, apply and index sequences, which are those of std.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <utility>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::apply;
using std::exchange;
using std::forward;
using std::in_place;
using std::in_place_index;
using std::in_place_index_t;
using std::in_place_t;
using std::in_place_type;
using std::in_place_type_t;
using std::index_sequence;
using std::index_sequence_for;
using std::integer_sequence;
using std::make_from_tuple;
using std::make_index_sequence;
using std::move;
OPSRUN_ABSL_END
