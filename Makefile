# Everything a developer calls. `make demo` and `make test` work on a new machine that has the Swift toolchain only.

SWIFT ?= swift
SOURCES = Package.swift Sources Tests samples/typed-documents
JOBS ?=
# Swift's runtime is linked into the program, which starts faster so and runs without a toolchain. On macOS it is a part of the system.
RELEASE = -c release --product gymmigrate $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib) $(ANYWHERE)
# A folder's name stays out of the program, so that another folder makes the same bytes.
ANYWHERE = -Xcc -ffile-prefix-map=$(CURDIR)=. -Xswiftc -file-prefix-map -Xswiftc $(CURDIR)=.
JUDGE ?= $(if $(wildcard .venv/bin/python),.venv/bin/python,python3)
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: all deps docs build demo test judges bench bench-reads bench-writes check check-all check-client-suite check-container check-contract check-disk check-emulator check-faults check-filters \
  check-fuzz check-instructions check-kills check-libreoffice check-memory check-mirror check-package check-reproducible check-restore check-sanitizers check-scale \
  check-slurm check-storage check-tables container package install pictures fmt lint layers clean

all: build

## deps: installs the C libraries that are missing, and says so
deps:
	@scripts/install-dependencies.sh

## build: builds the release binary and links it to bin/gymmigrate
build: deps
	$(SWIFT) build $(RELEASE)
	@mkdir -p bin && ln -sf "$$($(SWIFT) build $(RELEASE) --show-bin-path)/gymmigrate" bin/gymmigrate
	@echo "Built bin/gymmigrate."

## demo: loads the sample gym into the embedded store, migrates it and exports it to demo/
demo: build
	@scripts/demo.sh

## package: the binary to carry, as dist/*.tar.gz and dist/*.deb; see docs/installing.md
package: deps
	@scripts/package.sh

## container: an image of the same binary, named IMAGE or gymmigrate:VERSION, with buildah or podman and without a network
container: deps
	@scripts/container.sh

## install: installs below PREFIX (and DESTDIR) what 'make package' built, and builds it where it did not
install:
	@test -x .build/package/tree/bin/gymmigrate || scripts/package.sh tree
	@umask 022 && mkdir -p "$(DESTDIR)$(PREFIX)" && cp -R .build/package/tree/. "$(DESTDIR)$(PREFIX)"
	@echo "Installed $(DESTDIR)$(PREFIX)/bin/gymmigrate."

## check-package: installs the packages in a bare Debian without a Swift toolchain, and uses them there; needs root
check-package: package
	@scripts/check-package.sh

## check-container: makes the image and uses it: the demo, a store in another container, TLS; needs root, skipped without buildah
check-container: deps
	@scripts/check-container.sh

## check-reproducible: makes all packages twice, the second time in a clone elsewhere, and compares every byte; a whole build
check-reproducible: deps
	@scripts/check-reproducible.sh

## check-slurm: a Slurm cluster of two nodes on this machine carries out shards, loses a node, and ends as one process does
check-slurm: build
	@GYMMIGRATE="$$PWD/bin/gymmigrate" scripts/check-slurm.sh

## test: the tests that belong to a change, with the layer check; under 25 minutes on two cores
test: deps layers
	@scripts/test.sh

## judges: the tests that take longer, and judges that are not ours: Google's emulator, openpyxl, models, browsers and shells
judges: deps
	@scripts/judges.sh

## bench: compares with C++, curl and Python in one run, then reads at 80 ms a request; see docs/benchmarks.md
bench: build
	@scripts/bench.sh
	@scripts/bench-many-reads.sh
	@scripts/bench-mask.sh
	@scripts/bench-verify.sh
	@scripts/bench-program.sh

## bench-reads: measures reading at 80 ms a request, one after the other and side by side, and restores beside comparisons
bench-reads: build
	@scripts/bench-reads.sh
	@scripts/bench-many-reads.sh
	@scripts/bench-restore.sh

## bench-writes: measures writing at 80 ms a commit, and that the ramp is kept
bench-writes: build
	@scripts/bench-writes.sh

## check: formatting, layers, and a build of everything with warnings as errors, the fuzz targets and benchmarks too, beside the build of every day
check: deps lint layers
	$(SWIFT) build --build-tests --scratch-path .build/check -Xswiftc -warnings-as-errors \
	  --explicit-target-dependency-import-check error
	$(SWIFT) build --package-path Fuzz --target Fuzz -Xswiftc -warnings-as-errors
	$(SWIFT) build --package-path Benchmarks --target Measure -Xswiftc -warnings-as-errors

## check-all: every check that is no part of 'make test' or 'make judges', with a table of what passed and when; some hours
check-all: deps
	@scripts/check-all.sh

## check-disk: 500 runs on a disk that is full for one of their files, judged by what they leave, resumed or undone
check-disk: deps
	@scripts/check-disk.sh

## check-client-suite: the system tests of Google's Python client (GYMMIGRATE_CLIENT_SUITE=their folder) against the embedded store
check-client-suite: build
	@scripts/check-client-suite.sh

## check-contract: the contract tests of the embedded store against Google's emulator and FIRESTORE_EMULATOR_HOST
check-contract: deps
	@scripts/check-contract.sh

## check-restore: 1,000 accidents and as many managed folders, each restored, read or refused, as many bounds on the bill, and 500 parts copied, judged by models
check-restore: build
	@$(JUDGE) Tests/Judges/restore_accidents.py bin/gymmigrate 1000
	@$(JUDGE) Tests/Judges/managed_folders.py bin/gymmigrate 1000
	@scripts/check-leveldb.sh
	@$(JUDGE) Tests/Judges/restore_accidents.py --emulator bin/gymmigrate 50 2000
	@$(JUDGE) Tests/Judges/bills.py bin/gymmigrate 1000
	@$(JUDGE) Tests/Judges/subsets.py bin/gymmigrate 500

## check-emulator: every command, and 20,000 requests to the embedded store, judged by Google's own emulator; skipped where it is missing
check-emulator: build
	@$(JUDGE) Tests/Judges/emulator.py bin/gymmigrate
	@$(JUDGE) Tests/Judges/store_differences.py bin/gymmigrate 20000
	@$(JUDGE) Tests/Judges/store_differences.py --self-check bin/gymmigrate

## check-faults: thousands of runs on a service that fails in every way, judged by what it stored and counted
check-faults: deps
	@scripts/check-faults.sh

## check-filters: a million pairs of a document and a filter, judged by three evaluators
check-filters: deps
	@scripts/check-filters.sh

## check-tables: 20,000 random tables imported, judged by a reader of its own
check-tables: build
	@$(JUDGE) Tests/Judges/random_tables.py bin/gymmigrate 20000

## check-kills: kills an import, a migration, an undo and a program at 200 moments each, and resumes them; some hours
check-kills: build
	@nice -n 10 scripts/check-kills.py

## check-fuzz: ten minutes of hostile input with libFuzzer
check-fuzz: deps
	@scripts/check-fuzz.sh

## check-instructions: counts the instructions of a page exported and imported, and compares them with Benchmarks/instructions.txt
check-instructions: deps
	@scripts/check-instructions.sh

## check-libreoffice: LibreOffice opens our workbooks and saves them, and nothing is lost; skipped where it is missing
check-libreoffice: build
	@GYMMIGRATE=bin/gymmigrate scripts/check-libreoffice.sh

## check-memory: a comparison of a million documents and a workbook of 500,000 rows in 64 MiB
check-memory: build
	@GYMMIGRATE=bin/gymmigrate scripts/check-memory.sh

## check-mirror: mirrors a million documents, and measures it
check-mirror: build
	@scripts/check-mirror.sh

## check-sanitizers: the tests under the address and the thread sanitizer
check-sanitizers: deps
	@scripts/check-sanitizers.sh

## check-scale: the main job on 100,000 users, and a plan of a million documents beside an export of them
check-scale: build
	@GYMMIGRATE="$$PWD/bin/gymmigrate" scripts/check-scale.sh

## check-storage: kills of an upload, two exports at once, 2 GB both ways, against a strict Cloud Storage
check-storage: build
	@scripts/check-storage.sh

## docs: generates the command line reference
docs: build
	@scripts/generate-cli-reference.sh

## pictures: makes the pictures of README and docs/ anew; needs a Chromium
pictures: build
	@scripts/make-pictures.sh

## fmt: formats every Swift file in place
fmt:
	$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

## lint: refuses a file that is not formatted or breaks a rule
lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

## layers: refuses an import that runs up, and a knot in the executable
layers:
	@scripts/check-layers.sh
	@scripts/check-knots.py

clean:
	rm -rf .build bin demo dist
