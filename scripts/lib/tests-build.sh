# Sourced by the scripts that run the tests: how they are built, in a folder of its own because the flags are others.
#
# Optimised, the tests' own servers answer much faster, and the program starts ten times as fast: where DEBUG is
# defined, ArgumentParser checks the declarations of all commands at every start, and the tests start it some thousand
# times. The tests themselves are not optimised; Package.swift sees to that.
tests_flags=(-c release -Xswiftc -enable-testing --explicit-target-dependency-import-check error)
# Where WARNINGS_AS_ERRORS is set, as in CI, a warning fails the build.
[[ -z ${WARNINGS_AS_ERRORS:-} ]] || tests_flags+=(-Xswiftc -warnings-as-errors)
# Nobody debugs this build. The index is needed: SwiftPM looks for tests in it.
tests_build=("${tests_flags[@]}" -Xswiftc -gnone --enable-index-store --scratch-path .build/tests)

# The suites that take long, as a pattern.
long_tests() { grep -v '^#' scripts/lib/long-tests.txt | paste -sd '|'; }

# Runs the tests that the options say, and says once more at the end what went wrong, where it is found.
swift_tests() {
  # All tests at once would starve each other, and their time limits run from their start.
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-$(($(getconf _NPROCESSORS_ONLN) * 3))}
  local log=$work/tests
  swift test "${tests_build[@]}" --skip-build "$@" 2>&1 | tee "$log" || {
    grep -aE '^✘|error:|Fatal error' "$log" || true
    return 1
  }
}

# Builds and runs seeded tests, and shows the lines of a pattern; then how to run each seed alone that fails.
seeded_tests() { # FILTER SHOWN SEED
  local log status=0
  swift build "${tests_build[@]}" --build-tests
  log=$(mktemp)
  trap 'rm -f "$log"' RETURN
  nice -n 10 swift test "${tests_build[@]}" --skip-build --filter "$1" >"$log" 2>&1 || status=$?
  grep -E "$2" "$log" || true
  [[ $status -eq 0 ]] || grep -oE "$3" "$log" | sort -u |
    sed -E "s/^seed ([0-9]+):.*/again: scripts\/$(basename "$0") 1 \\1/"
  return "$status"
}
