#!/usr/bin/env bash
# Installs what `make package` made in a Debian without a Swift toolchain, and uses it there: the .deb with its dependencies, the
# demo, every manual page, the completions of three shells, the .tar.gz, and a system without /proc.
#
#   check-package.sh [SUITE]    SUITE is the Debian release that this machine has, unless given
#
# Needs root, debootstrap and a mirror of Debian (MIRROR=…). The bare tree is kept in .build/debian-SUITE.tar. Everything else is
# in a temporary folder and in a mount namespace of its own, and goes with them.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $(id -u) -ne 0 ]]; then
  echo "check-package: run this as root, which chroot needs." >&2
  exit 77
fi
command -v debootstrap >/dev/null || {
  echo "check-package: debootstrap is missing. On Debian: apt-get install debootstrap" >&2
  exit 69
}
if [[ -z ${CHECK_PACKAGE_NAMESPACE:-} ]]; then
  CHECK_PACKAGE_NAMESPACE=1 exec unshare --mount --propagation private "$0" "$@"
fi

suite=${1:-$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}")}
mirror=${MIRROR:-http://deb.debian.org/debian}
architecture=$(dpkg --print-architecture)
shopt -s nullglob
debs=(dist/gymmigrate_*_"$architecture".deb)
archives=(dist/gymmigrate-*-linux-"$(uname -m)".tar.gz)
if [[ ${#debs[@]} -ne 1 || ${#archives[@]} -ne 1 ]]; then
  echo "check-package: wanted one .deb and one .tar.gz in dist/, found ${#debs[@]} and ${#archives[@]}; run 'make package'" >&2
  exit 66
fi
deb=${debs[0]} archive=${archives[0]}
version=$(sed -n 's/.*gymmigrateVersion = "\(.*\)"/\1/p' Sources/Models/FirestoreModels/Support/Version.swift)

work=$(mktemp -d)
root=$work/root
trap 'umount -l "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
bare=.build/debian-$suite.tar
if [[ ! -f $bare ]]; then
  echo "Making a bare Debian $suite; this is kept for the next time."
  debootstrap --variant=minbase "$suite" "$work/bare" "$mirror" >"$work/log" || { tail "$work/log" >&2; exit 69; }
  rm -f "$work"/bare/var/cache/apt/archives/*.deb
  tar --create --directory "$work/bare" --file "$bare.partial" .
  mv "$bare.partial" "$bare"
  rm -rf "$work/bare"
fi
mkdir "$root"
tar --extract --directory "$root" --file "$bare"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"

inside() { # COMMAND...
  env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/root LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"
}
say() { printf '%s\n' "- $*"; }
fail() {
  echo "check-package: $*" >&2
  exit 1
}
has_output() { # FILE TEXT: fails, with the file, where the text is not a line of it
  grep -qxF -- "$2" "$1" || { head -20 "$1" >&2; fail "there is no line '$2'"; }
}

# The minimal images of Debian leave manual pages out; this is a system with them.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends man-db bash-completion zsh fish >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; exit 69; }
inside dpkg-query --show --showformat '${Package}\n' | sort >"$work/before"
! inside sh -c 'command -v swift || ls -d /usr/lib/swift /opt/swift 2>/dev/null' || fail "there is a Swift toolchain"

say "the .deb installs"
cp "$deb" "$root/tmp/gymmigrate.deb"
inside apt-get install -y -qq --no-install-recommends /tmp/gymmigrate.deb >"$work/log" 2>&1 ||
  { tail "$work/log" >&2; fail "apt-get cannot install $deb"; }
inside dpkg-query --show --showformat '${Package} ${Version}\n' | sort >"$work/packages"
printf '  with it: %s\n' "$(join -v 1 <(cut -d ' ' -f 1 "$work/packages") "$work/before" | paste -sd ' ')"
inside dpkg --verify gymmigrate >"$work/out"
[[ ! -s $work/out ]] || fail "dpkg finds files that differ from their sums: $(cat "$work/out")"

use() { # PROGRAM: the version, the libraries and the demo
  [[ $(inside "$1" --version) == "$version" ]] || fail "$1 --version is not $version"
  inside ldd "$1" >"$work/out"
  ! grep "not found" "$work/out" || fail "$1 misses libraries"
  ! grep -i "swift\|foundation" "$work/out" || fail "$1 needs Swift's libraries"
  rm -rf "$root/work"
  mkdir -p "$root/work/scripts"
  cp scripts/demo.sh "$root/work/scripts"
  cp -R samples "$root/work"
  inside env GYMMIGRATE="$1" /work/scripts/demo.sh >"$work/log" 2>&1 || { tail "$work/log" >&2; fail "the demo fails with $1"; }
  [[ -s $root/work/demo/gym.xlsx && -s $root/work/demo/users.csv ]] || fail "the demo left no workbook"
}

say "it runs, and does the demo"
use /usr/bin/gymmigrate

say "every command has a manual page, which groff renders without a warning"
pages=0
for page in "$root"/usr/share/man/man1/gymmigrate*.1.gz; do
  name=$(basename "$page" .1.gz)
  inside man --warnings=w -E UTF-8 "$name" >"$work/page" 2>"$work/out" </dev/null || { cat "$work/out" >&2; fail "man $name"; }
  [[ ! -s $work/out ]] || { cat "$work/out" >&2; fail "man $name warns"; }
  grep -q '^SYNOPSIS' "$work/page" || fail "man $name has no synopsis"
  pages=$((pages + 1))
done
inside gymmigrate --help | sed -n 's/^  \([a-z]*\)  *[A-Z].*/\1/p' >"$work/commands"
grep -q export "$work/commands" || fail "the overview has no commands that this script finds"
while read -r command; do
  [[ -f $root/usr/share/man/man1/gymmigrate-$command.1.gz ]] || fail "there is no page of 'gymmigrate $command'"
done <"$work/commands"
inside man -w gymmigrate-migrate-plan >/dev/null || fail "there is no page of 'gymmigrate migrate plan'"
echo "  $pages pages"

say "bash completes commands, subcommands and options"
cat >"$root/tmp/complete.bash" <<'BASH'
# Completes a command line as readline does: with what bash-completion loads for the command.
. /usr/share/bash-completion/bash_completion
_completion_loader gymmigrate
function=$(complete -p gymmigrate | sed -n 's/.*-F \([^ ]*\).*/\1/p')
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9 COMP_KEY=9
read -ra COMP_WORDS <<<"$1"
[[ $1 != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"$function" gymmigrate "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}" | sed 's/ *$//'
BASH
completes() { # SHELL LINE WORD: fails unless the word is offered for the line
  case $1 in
    bash) inside bash /tmp/complete.bash "$2" ;;
    fish) inside fish -c "complete -C '$2'" | cut -f 1 ;;
  esac >"$work/out" 2>"$work/errors"
  has_output "$work/out" "$3"
  [[ ! -s $work/errors ]] || fail "$1 says: $(cat "$work/errors")"
}
for shell in bash fish; do
  [[ $shell == bash ]] || say "fish does, too"
  completes "$shell" "gymmigrate mig" migrate
  completes "$shell" "gymmigrate migrate pl" plan
  completes "$shell" "gymmigrate export --sub" --subcollections
  completes "$shell" "gymmigrate export --format " jsonl
done
say "zsh loads its completion"
inside zsh -c 'autoload -Uz compinit && compinit -u && [[ ${_comps[gymmigrate]} == _gymmigrate ]] && autoload +X _gymmigrate' ||
  fail "zsh does not load the completion"

say "it is removed without a trace"
inside apt-get remove -y -qq gymmigrate >/dev/null 2>&1
[[ -z $(find "$root/usr" -name '*gymmigrate*') ]] || fail "left behind: $(find "$root/usr" -name '*gymmigrate*')"

say "the .tar.gz runs, and does the demo"
tar --extract --gzip --file "$archive" --directory "$root/usr/local" --strip-components 1
use /usr/local/bin/gymmigrate
for file in bin/gymmigrate share/man/man1/gymmigrate.1 share/bash-completion/completions/gymmigrate share/doc/gymmigrate/LICENSE \
  share/doc/gymmigrate/README.md share/fish/vendor_completions.d/gymmigrate.fish share/zsh/site-functions/_gymmigrate; do
  [[ -f $root/usr/local/$file ]] || fail "the archive has no $file"
done

say "the bill of materials names every package that is linked, and the libraries with their versions"
python3 - "$root/usr/local/share/doc/gymmigrate/gymmigrate.cdx.json" <<'PYTHON' || fail "the bill of materials is another"
import json, sys

parts = {part["name"]: part for part in json.load(open(sys.argv[1]))["components"]}
for pin in json.load(open("Package.resolved"))["pins"]:
    name = pin["location"].removesuffix(".git").rsplit("/", 1)[1]
    assert parts[name]["version"] == pin["state"]["version"] and parts[name]["licenses"], name
assert "swift-runtime" in parts
for library in ("libc6", "libcurl4", "libsqlite3-0"):
    assert parts[library]["version"], library
PYTHON

say "without /proc it says so, and ends in 78"
umount "$root/proc"
code=0
inside gymmigrate --version >"$work/out" 2>"$work/errors" || code=$?
[[ $code -eq 78 && ! -s $work/out ]] || fail "ended in $code: $(cat "$work/out" "$work/errors")"
grep -q '^error: cannot read /proc/self/cmdline' "$work/errors" || fail "said: $(cat "$work/errors")"

echo "check-package: all is as it should be on Debian $suite, $architecture."
