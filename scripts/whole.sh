# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154
# ./run test --all: the whole tier. Sourced by ./run after fuzz.sh, whose functions it uses.

results=$root/build-results

whole_tier() {
  prepare all
  rm -rf "$results"

  say "" "---- the quick tier"
  (unset COALESCE_TEST_SEED && quick_tier)
  keep_results quick "$build"
  say "" "---- the long tests, and those under valgrind"
  export COALESCE_TEST_SEED=${COALESCE_TEST_SEED:-random}
  test_suites "$build" --suite slow --suite valgrind
  keep_results long "$build"
  whole_sanitized asan address,undefined
  COALESCE_TEST_SMALL=1 sanitized_tests asan
  whole_sanitized tsan thread
  COALESCE_TEST_SMALL=1 sanitized_tests tsan --suite threads

  stage format "$root/scripts/check-format.sh"
  stage headers "$root/scripts/check-headers.sh"
  stage rooms "$root/scripts/check-rooms.py"
  stage pages "$root/scripts/check-pages.py"
  stage commands "$root/scripts/check-commands.py"
  local target
  for target in $(fuzz_targets); do stage "libfuzzer-$target" fuzz 10 "$target"; done
  "$root/scripts/tests.py" summary "$results"/*
}

# Later steps run tests in the same build folders, and meson's logs are of the last run.
keep_results() {  # NAME FOLDER
  mkdir -p "$results/$1/meson-logs"
  cp "$2"/meson-logs/testlog.* "$results/$1/meson-logs/" || true  # without a log no test ran
}

# A step that is no Meson test: 0 is a pass, 77 a skip whose last line is the reason.
stage() {  # NAME COMMAND...
  local output=$results/stages/$1.log result=OK status seconds=$SECONDS
  mkdir -p "$results/stages"
  set +e  # not «||», in which the inner set -e would be ignored
  (set -e; "${@:2}") >"$output" 2>&1 </dev/null
  status=$?
  set -e
  case $status in
    0) ;;
    77) result=SKIP ;;
    *) result=FAIL && tail -n 50 "$output" ;;
  esac
  say "stage $1: $result, $((SECONDS - seconds)) s (log: $output)"
  "$root/scripts/tests.py" record "$results/stages" "$1" "$result" "$(tail -n 1 "$output")"
}

# A build folder with a sanitizer. gcc's -g1 has functions and lines, which a sanitizer's report needs.
whole_sanitized() {  # NAME SANITIZER
  local folder=$build-$1
  say "" "---- $2, in ${folder##*/}/"
  configure "$folder" -Db_sanitize="$2" -Db_lundef=false -Dcuda=disabled -Dbuildtype=plain \
    -Doptimization=1 -Dcpp_args=-g1
}

sanitized_tests() {  # NAME [OPTION OF meson test...]
  meson_suites "$build-$1" --no-suite gpu --no-suite valgrind --no-suite slow --no-suite without-sanitizers "${@:2}"
  keep_results "$1" "$build-$1"
}
