#!/usr/bin/env bash
# Feeds hostile input to everything that reads what others wrote, with libFuzzer and the address sanitizer.
#
#   scripts/check-fuzz.sh [SECONDS [TARGET...]]
#
# SECONDS is shared out among the targets (600 unless given). What is found is written to Fuzz/.build/found; run it
# again with GYMMIGRATE_FUZZ_TARGET=TARGET Fuzz/.build/release/Fuzz FILE.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-600}
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(wire query requests jsonl csv xlsx text pages yaml migration ranges
  runs journal plan ledger folders store schema credentials storage managed shards exports)

# The backtracer stops a crashed program that libFuzzer still has to speak for.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
# Of several -sanitize options swiftc heeds the last, so both are named in one.
build=(swift build --package-path Fuzz -c release --sanitize=fuzzer
  -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=address)
nice -n 10 "${build[@]}"
binary=$("${build[@]}" --show-bin-path)/Fuzz
found=Fuzz/.build/found
mkdir -p "$found"
failed=0
for target in "${targets[@]}"; do
  corpus=Fuzz/.build/corpus/$target
  mkdir -p "$corpus"
  log=Fuzz/.build/$target.log
  if GYMMIGRATE_FUZZ_TARGET=$target nice -n 10 timeout -k 10 $((seconds + 120)) "$binary" \
    -max_total_time=$((seconds / ${#targets[@]})) -timeout=10 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="$found/$target-" "$corpus" "Fuzz/Corpus/$target" >"$log" 2>&1; then
    coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -1)
    awk -v target="$target" -v coverage="$coverage" '
      /stat::number_of_executed_units/ { inputs = $2 }
      /stat::average_exec_per_sec/ { rate = $2 }
      /stat::peak_rss_mb/ { memory = $2 }
      END { printf "%-9s %9d inputs, %6d a second, %s edges, %d MiB\n", target, inputs, rate, coverage, memory }' "$log"
  else
    failed=1
    echo "$target failed; the end of $log:" >&2
    tail -30 "$log" >&2
  fi
done
exit $failed
