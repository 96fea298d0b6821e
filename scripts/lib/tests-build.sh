# Sourced by the scripts that run the tests: how they are built, in a folder of its own because the flags are others.
#
# Optimised, the tests' own servers answer much faster, and the program starts ten times as fast: where DEBUG is
# defined, ArgumentParser checks the declarations of all commands at every start, and the tests start it some thousand
# times. The tests themselves are not optimised; Package.swift sees to that.
tests_flags=(-c release -Xswiftc -enable-testing --explicit-target-dependency-import-check error)
# Where WARNINGS_AS_ERRORS is set, as in CI, a warning fails the build.
[[ -z ${WARNINGS_AS_ERRORS:-} ]] || tests_flags+=(-Xswiftc -warnings-as-errors)
# Nobody debugs this build, or looks something up in it: that would be a tenth of its time.
tests_build=("${tests_flags[@]}" -Xswiftc -gnone --disable-index-store --scratch-path .build/tests)
