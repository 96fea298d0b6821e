#!/usr/bin/env bash
# Makes an image of the program that `make package` carries, with buildah or podman:
#
#   container.sh         the image, named IMAGE, or gymmigrate:VERSION
#   container.sh root    the files in it alone, as .build/container/root.tar, which needs neither of the two
#
# In it are the program, the C libraries of this machine that it loads, certificates, time zones, and the licences of all of them; no shell and no
# other program. The same program and libraries give the same bytes. Needs Debian's dpkg, which knows the packages of the libraries.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib/same-bytes.sh

context=$PWD/.build/container
root=$context/root
program=$PWD/.build/package/tree/bin/gymmigrate

make_root() {
  scripts/package.sh tree
  rm -rf "$context"
  mkdir -p "$root"/{etc/ssl/certs,home/gymmigrate,tmp,usr/bin,usr/share/doc,var/lib/dpkg/status.d,work}
  cp "$program" "$root/usr/bin"
  cp -R .build/package/tree/share/doc/gymmigrate "$root/usr/share/doc"
  copy_libraries
  # Those of Mozilla, without what was added on this machine.
  cat /usr/share/ca-certificates/mozilla/*.crt >"$root/etc/ssl/certs/ca-certificates.crt"
  cp -R /usr/share/zoneinfo "$root/usr/share"
  rm -rf "$root"/usr/share/zoneinfo/{localtime,posix,right}
  cp -R /usr/share/common-licenses "$root/usr/share"
  echo "hosts: files dns" >"$root/etc/nsswitch.conf"
  printf '%s\n' root:x:0:0::/:/sbin/nologin gymmigrate:x:10001:10001::/home/gymmigrate:/sbin/nologin >"$root/etc/passwd"
  printf '%s\n' root:x:0: gymmigrate:x:10001: >"$root/etc/group"
  pack_root
}

# What the program loads, and what that loads, under the names by which the loader looks for them.
copy_libraries() {
  local file package packages=(ca-certificates tzdata)
  while read -r file; do
    install -D --mode=755 "$(realpath "$file")" "$root$file"
    packages+=("$(package_of "$file")")
  done < <(ldd "$program" | grep -o '/[^ ]*')
  # Scanners of images look for packages in status.d where there is no dpkg.
  for package in $(printf '%s\n' "${packages[@]}" | sort -u); do
    install -D --mode=644 "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/copyright"
    dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/$package"
  done
}

package_of() { # FILE
  local place
  place=$(realpath "$1")
  # Where /lib is a link, dpkg knows some files by it and others by what it leads to.
  dpkg-query --search "*${place#/usr}" | sed -n '1s/:.*//p'
}

pack_root() {
  local own=(./home/gymmigrate ./tmp ./work) user=(--owner=gymmigrate:10001 --group=gymmigrate:10001)
  same_tar --create --file "$context/root.tar" --directory "$root" "${own[@]/#/--exclude=}" .
  same_tar --append --file "$context/root.tar" --directory "$root" --mode=1777 ./tmp
  same_tar --append --file "$context/root.tar" --directory "$root" --mode=700 "${user[@]}" ./home/gymmigrate ./work
  # The builder would read it, too.
  rm -rf "$root"
}

make_image() {
  local image=${IMAGE:-gymmigrate:$("$program" --version)}
  "$builder" build --quiet --timestamp "$SOURCE_DATE_EPOCH" --tag "$image" --file Containerfile "$context" >/dev/null
  echo "Made the image $image ($(size "$context/root.tar")) with $builder."
}

if [[ ${1:-} == root ]]; then
  make_root
  exit
fi
builder=$(command -v buildah || command -v podman) || {
  echo "container: there is neither buildah nor podman. On Debian: apt-get install buildah" >&2
  exit 69
}
builder=$(basename "$builder")
make_root
make_image
