#!/usr/bin/env bash
# The one test command: the Swift tests over all targets but those that take long (see long-tests), the oracle's own tests,
# and the sample package, which uses the libraries as another package would. What takes longer is `make judges`.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/lib/python-judges.sh
scripts/install-test-tools.sh

. scripts/lib/work-folder.sh

# Beside the build of the tests, which leaves a core idle at times.
nice -n 10 scripts/check-sample-package.sh --build &
sample=$!
servers=($sample)
. scripts/lib/tests-build.sh
swift build "${tests_build[@]}" --build-tests
python3 -m unittest discover -s Tests/Oracle -q
export GYMMIGRATE_BINARY=${GYMMIGRATE_BINARY:-$(swift build "${tests_build[@]}" --show-bin-path)/gymmigrate}
wait "$sample"
scripts/check-sample-package.sh >"$work/sample" 2>&1 &
sample=$!
servers=($sample)

failed=0
swift_tests --skip "$(long_tests)" || failed=1

wait "$sample" || failed=1
servers=()
cat "$work/sample"
exit $failed
