# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154
# ./run fuzz: libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer; docs/fuzzing.md.
# Everything it writes is in build-fuzz/.

fuzz_build=$root/build-fuzz

fuzz_targets() { ls "$root/tests/fuzz/corpus"; }

# How many inputs were executed, by the last line of libFuzzer's that has "#37606" and "cov:", and
# how much code all that have been kept reach. (The coverage in that line is not of this program alone.)
fuzz_summary() {  # OUTPUT PROGRAM CORPUS...
  local executions
  executions=$(sed -nE 's/^#([0-9]+)[^0-9].*cov: .*/\1/p' "$1" | tail -n 1)
  [ -n "$executions" ] || return 1
  "$2" -runs=0 "${@:3}" 2>&1 | awk -v executions="$executions" '
    /Loaded .* inline 8-bit counters/ { edges = substr($5, 2) }
    $2 == "DONE" { reached = ", " $4 " of " edges " edges reached" }
    END { print executions " executions" reached }'
}

# As many processes as there are cores; with a SEED one, which tries the same inputs in each run up to
# where its time ends, or to its first finding, if build-fuzz/ is new.
fuzz_target() {  # TARGET SECONDS [SEED]; false if something was found
  local target=$1 seconds=$2 seed=${3:-}
  # Without a seed each finding is written, and the search goes on.
  local search=(-fork="$(nproc)" -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1)
  if [ -n "$seed" ]; then search=(-seed="$seed"); fi
  local program=$fuzz_build/tests/fuzz/fuzz-$target findings=$fuzz_build/findings/$target
  local output=$fuzz_build/$target.log corpus=$fuzz_build/corpus/$target found file summary
  mkdir -p "$corpus" "$findings"
  # The seeds as they are: -max_len would cut those that are longer.
  "$program" -runs=0 -timeout=20 "$root/tests/fuzz/corpus/$target" >"$output" 2>&1 ||
    { tail -n 20 "$output"; return 1; }
  touch "$output.begin"
  "$program" "${search[@]}" -max_total_time="$seconds" -timeout=20 -max_len=1024 -len_control=0 \
    -artifact_prefix="$findings/" "$corpus" "$root/tests/fuzz/corpus/$target" >"$output" 2>&1 || true
  summary=$(fuzz_summary "$output" "$program" "$corpus") || { tail -n 20 "$output"; return 1; }
  mapfile -t found < <(find "$findings" -type f -newer "$output.begin" ! -name 'slow-unit-*' | sort)
  say "$target: $summary, ${#found[@]} findings (log: $output)"
  for file in "${found[@]}"; do
    say "  replay with: $program $file"
  done
  ((${#found[@]} == 0))
}

# Without libFuzzer: the driver of the tests, which ends at the first finding.
fuzz_without_libfuzzer() {  # SECONDS TARGET...
  local seconds=$1 target program reproducer good=true
  configure "$build"
  local programs=("${@:2}")
  build_targets "${programs[@]/#/tests/fuzz/fuzz-}"
  mkdir -p "$fuzz_build/findings"
  for target in "${@:2}"; do
    program=$build/tests/fuzz/fuzz-$target
    reproducer=$fuzz_build/findings/$target-$(date +%s)
    say "$target:"
    nice "$program" --seconds="$seconds" --seed="$(date +%s)" --write="$reproducer" \
      "$root/tests/fuzz/corpus/$target" && continue
    good=false
    say "  replay with: $program $reproducer"
  done
  $good
}

build_fuzz_targets() {  # TARGET...
  has_libfuzzer || { echo 'clang has no libFuzzer here' && exit 77; }
  CXX=clang++ configure "$fuzz_build" -Dlibfuzzer=true -Dcuda=disabled -Dbuildtype=plain \
    -Doptimization=1 -Dcpp_args=-g1 -Db_sanitize=address,undefined -Db_lundef=false
  ninja -C "$fuzz_build" "${@/#/tests/fuzz/fuzz-}" 9<&- || die "the build failed"
}

fuzz() {
  local seconds=${1:-} targets=() target good=true
  mapfile -t targets < <(fuzz_targets)
  (($# == 1 || $# == 2)) || wrong_usage 'fuzz has the arguments SECONDS and perhaps TARGET'
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || wrong_usage "fuzz requires a whole number of SECONDS above zero, not '$seconds'"
  if (($# == 2)); then
    [ -d "$root/tests/fuzz/corpus/$2" ] || die "no target $2; there are: ${targets[*]}"
    targets=("$2")
  fi

  lock_build
  install_missing fuzz
  if ! has_libfuzzer; then
    say "Without libFuzzer no coverage is seen, and little is found."
    fuzz_without_libfuzzer "$seconds" "${targets[@]}"
    return
  fi

  build_fuzz_targets "${targets[@]}"
  renice -n 10 -p $$ >/dev/null || true  # for whoever works beside
  for target in "${targets[@]}"; do
    fuzz_target "$target" "$seconds" || good=false
  done
  $good
}
