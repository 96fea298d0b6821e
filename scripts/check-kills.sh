#!/usr/bin/env bash
# Kills runs of the release binary at hundreds of points, takes them up again, and compares with uninterrupted ones.
#
#   GYMMIGRATE_KILLS=200 GYMMIGRATE_KILL_DOCUMENTS=20000 scripts/check-kills.sh
set -euo pipefail
cd "$(dirname "$0")/.."

export GYMMIGRATE_KILLS=${GYMMIGRATE_KILLS:-200}
export GYMMIGRATE_KILL_DOCUMENTS=${GYMMIGRATE_KILL_DOCUMENTS:-20000}
nice -n 10 swift build -c release --product gymmigrate
nice -n 10 swift build --build-tests
GYMMIGRATE_BINARY=$(swift build -c release --show-bin-path)/gymmigrate
export GYMMIGRATE_BINARY
nice -n 10 swift test --skip-build --filter 'GymmigrateTests\.AllKillTests'
