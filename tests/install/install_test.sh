#!/bin/sh
# install_test.sh BUILD SOURCE CMAKE COMPILER SANITIZERS: installs BUILD into a prefix whose path has a blank, and builds and runs
# plugins against it. BUILD was made by COMPILER, with SANITIZERS if there are any.
# SPDX-License-Identifier: Apache-2.0
set -eu

build=$1
source=$2
cmake=$3
compiler_of_build=$4
sanitizers=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/pre fix"
opsrun="$prefix/bin/opsrun"

# Nothing of the user who runs the tests decides which plugins are found.
unset OPSRUN_PLUGIN_PATH
HOME="$work/home"
export HOME

# step NAME COMMAND...: runs it in silence, or shows what it said and ends the test.
step() {
  doing=$1
  shift
  if ! "$@" > "$work/log" 2>&1; then
    echo "FAILED: $doing" >&2
    cat "$work/log" >&2
    exit 1
  fi
  echo "ok: $doing"
}

# prints TEXT COMMAND...: true if TEXT is in what the command prints on stdout.
prints() {
  text=$1
  shift
  "$@" > "$work/out" || return 1
  grep -qF -- "$text" "$work/out" || { echo "expected '$text' in:"; cat "$work/out"; return 1; }
}

# exits_with STATUS COMMAND...
exits_with() {
  expected=$1
  shift
  status=0
  "$@" || status=$?
  [ "$status" -eq "$expected" ] || { echo "exit status $status, expected $expected"; return 1; }
}

# with_cmake SOURCE NAME: builds the CMake project in SOURCE; its plugin is then under $work/NAME.
with_cmake() {
  "$cmake" -S "$1" -B "$work/$2" "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_BUILD_TYPE=Release \
      "-DCMAKE_CXX_COMPILER=$compiler_of_build" "-DCMAKE_CXX_FLAGS=${sanitizers:+-fsanitize=$sanitizers}" &&
    "$cmake" --build "$work/$2"
}

# with_one_line COMPILER DIRECTORY: builds stranger/my_op.cc with the line that the README shows.
with_one_line() {
  mkdir -p "$work/$2" &&
    eval "$1 -std=c++17 -O2 -shared \"$source/tests/install/stranger/my_op.cc\" -o \"$work/$2/my_op.so\"" \
      "$("$opsrun" sdk --cflags)"
}

# counts_down DIRECTORY: the stranger's graph runs with the plugin in DIRECTORY and no other.
counts_down() {
  prints '[2 1 0]' "$opsrun" --plugins "$1" --no-default-plugins "$source/tests/install/stranger/my_graph.yaml"
}

# with_one_line_too COMPILER OPSRUN: the same for stranger/my_op_test.cc, with the flags that OPSRUN prints, and runs it on the plugin.
with_one_line_too() {
  eval "$1 -std=c++17 -O2 \"$source/tests/install/stranger/my_op_test.cc\" -o \"$work/my_op_test\"" "$("$2" sdk --test-flags)" &&
    OPSRUN_TEST_PLUGINS="$plugin" "$work/my_op_test"
}

# tests_pass DIRECTORY: as many as there are, and there are some.
tests_pass() {
  (cd "$1" && "${cmake%cmake}ctest" --output-on-failure --no-tests=error)
}

step 'install' "$cmake" --install "$build" --prefix "$prefix"

mkdir "$work/examples"
cp "$source"/examples/*.yaml "$work/examples"
step 'quickstart runs' prints '[1 0]' "$opsrun" "$work/examples/quickstart.yaml"
step 'the house is drawn' prints '18' "$opsrun" "$work/examples/draw_house.yaml"
step 'the house is dark' prints '64' "$opsrun" "$work/examples/house_at_night.yaml"
step 'five mistakes are found' exits_with 3 "$opsrun" check "$work/examples/five_mistakes.yaml"

step 'my_op builds with CMake' with_cmake "$source/tests/install/stranger" stranger
plugin=$(find "$work/stranger" -name my_op.so)
step 'my_op of CMake runs' counts_down "$(dirname "$plugin")"
step 'the test of my_op passes' tests_pass "$work/stranger"

for compiler in g++ clang++; do
  if command -v "$compiler" > /dev/null; then
    step "my_op builds with one line of $compiler" with_one_line "$compiler" "one line $compiler"
    step "my_op of $compiler runs" counts_down "$work/one line $compiler"
    # A library with a sanitizer wants the whole program to have it.
    if [ -z "$sanitizers" ]; then
      step "the test of my_op builds with one line of $compiler and passes" with_one_line_too "$compiler" "$opsrun"
    fi
  else
    echo "skipped: there is no $compiler"
  fi
done

if [ -z "$sanitizers" ]; then
  step 'the build folder has all that the test needs' with_one_line_too "$compiler_of_build" "$build/bin/opsrun"
fi

for directory in "$source"/plugins/*/; do
  name=$(basename "$directory")
  step "$name builds alone" with_cmake "$directory" "alone_$name"
  plugin=$(find "$work/alone_$name" -name "$name.so")
  step "$name built alone is whole" prints "$name" "$opsrun" inspect "$plugin"
done
