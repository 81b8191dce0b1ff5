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
  export COALESCE_TEST_SEED=${COALESCE_TEST_SEED:-random}
  beside long_tests sanitizers
  beside commands sources_and_fuzzing
  "$python" "$root/scripts/tests.py" summary "$results"/*
}

# Two functions at the same time: either alone has parts in which a core is idle, such as a suite's last
# test. What the second prints comes at its end.
beside() {  # FUNCTION FUNCTION
  local first second status=0 output=$results/stages/$2.log
  mkdir -p "$results/stages"
  set -m  # each has a process group, which an interruption ends whole
  (set +m && log=$results/stages/$1.configure && "$1") </dev/null &
  first=$!
  (set +m && log=$results/stages/$2.configure && "$2") >"$output" 2>&1 </dev/null &
  second=$!
  set +m
  trap 'kill -- "-$first" "-$second"; exit 130' INT TERM
  wait "$first" || status=$?
  wait "$second" || status=$?
  trap - INT TERM
  cat "$output"
  ((status == 0)) || die "$1 or $2 did not come to its end"
}

long_tests() {
  say "" "---- the long tests, and those under valgrind"
  local without=()
  has_libfuzzer && without=(--no-suite without-libfuzzer)
  test_suites "$build" --suite slow --suite valgrind "${without[@]}"
  keep_results long "$build"
}

sanitizers() {
  local without=()
  has_libfuzzer && without=(--no-suite fuzz)  # it replays the corpus with the same sanitizers
  whole_sanitized asan address,undefined
  COALESCE_TEST_SMALL=6 sanitized_tests asan "${without[@]}"
  whole_sanitized tsan thread
  COALESCE_TEST_SMALL=6 sanitized_tests tsan --suite threads
}

commands() { stage commands "$python" "$root/scripts/check-commands.py"; }

sources_and_fuzzing() {
  stage format "$root/scripts/check-format.sh"
  stage headers "$root/scripts/check-headers.sh"
  stage abi "$root/scripts/check-abi.sh"
  stage rooms "$python" "$root/scripts/check-rooms.py"
  stage pages "$python" "$root/scripts/check-pages.py"
  stage figures "$python" "$root/docs/images/architecture.py" --check
  stage site "$python" "$root/scripts/site.py"
  local target targets
  mapfile -t targets < <(fuzz_targets)
  stage libfuzzer-build build_fuzz_targets "${targets[@]}"
  has_libfuzzer || return 0  # the long tests of the suite without-libfuzzer change the corpus
  local seed=$COALESCE_TEST_SEED
  if [ "$seed" = random ]; then seed=$RANDOM; fi
  for target in "${targets[@]}"; do stage "libfuzzer-$target" fuzz_target "$target" 10 "$seed"; done
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
  "$python" "$root/scripts/tests.py" record "$results/stages" "$1" "$result" "$(tail -n 1 "$output")"
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
