#!/usr/bin/env bash
# Proves that a full disk damages nothing: hundreds of seeded runs for which the disk is full for one of their files, at a
# random byte, for a while or for ever; then they are resumed or undone.
#
#   scripts/check-disk.sh [CASES [FIRST-SEED]]
#
# CASES is 500 unless given. A seed that fails is printed; scripts/check-disk.sh 1 SEED runs it alone. It wants a C
# compiler for scripts/shims/full-disk.c, no root and no file system of its own; on Linux only.
set -euo pipefail
cd "$(dirname "$0")/.."

export GYMMIGRATE_DISK_CASES=${1:-${GYMMIGRATE_DISK_CASES:-500}}
export GYMMIGRATE_DISK_SEED=${2:-${GYMMIGRATE_DISK_SEED:-1}}
filter=FullDiskTests
[[ $GYMMIGRATE_DISK_CASES -gt 1 ]] || filter=FullDiskTests/matrix

. scripts/lib/tests-build.sh
export GYMMIGRATE_BINARY=${GYMMIGRATE_BINARY:-$(swift build "${tests_build[@]}" --show-bin-path)/gymmigrate}
seeded_tests "$filter" '^full disk:|recorded an issue|skipped|Test run with' 'seed [0-9]+:'
