#!/usr/bin/env bash
# Uses the image that `make container` made as its user would: the demo in the repository's samples, an export from a store that
# another container serves, and a server whose certificate nobody signed. Skipped where there is no buildah. Needs root.
#
#   IMAGE=NAME    another image
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v buildah >/dev/null; then
  echo "SKIPPED: there is no buildah, so no image is made and none is used. On Debian: apt-get install buildah"
  exit 0
fi
if [[ $(id -u) -ne 0 ]]; then
  echo "check-container: run this as root, which the users of containers need." >&2
  exit 77
fi
scripts/container.sh
version=$(.build/package/tree/bin/gymmigrate --version)
image=${IMAGE:-gymmigrate:$version}

work=$(mktemp -d)
servers=()
mkdir "$work/scripts"
cp scripts/demo.sh "$work/scripts"
cp -R samples "$work"
# Where the program writes is its user's.
chown -R 10001:10001 "$work"
container=$(buildah from "$image")
cleanUp() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait
  buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap cleanUp EXIT

say() { printf '%s\n' "- $*"; }
fail() {
  echo "check-container: $*" >&2
  exit 1
}
# Neither a runtime nor a network of containers is needed so, and a server here is a server there.
bare=(buildah run --isolation chroot "$container" --)
inside=(buildah run --isolation chroot --volume "$work:$work" --workingdir "$work" "$container" --)
wait_for() { # FILE TEXT
  local turn
  for ((turn = 0; turn < 600; turn++)); do
    ! grep -qs "$2" "$1" || return 0
    sleep 0.1
  done
  cat "$1" >&2
  fail "waited for '$2' in vain"
}

say "it is of the user that it names, and begins with the program"
format='{{.OCIv1.Config.User}} {{.OCIv1.Config.WorkingDir}} {{.OCIv1.Config.Entrypoint}}'
[[ $(buildah inspect --type image --format "$format" "$image") == "10001:10001 /work [/usr/bin/gymmigrate]" ]] ||
  fail "its configuration is another"
[[ $("${inside[@]}" gymmigrate --version) == "$version" ]] || fail "gymmigrate --version is not $version"
"${bare[@]}" gymmigrate env init >"$work/out" 2>&1 || { cat "$work/out" >&2; fail "it cannot write to /work"; }

say "nothing is missing, and nothing is there that gives rights"
loader=$(ldd .build/package/tree/bin/gymmigrate | sed -n 's,^\s*\(/[^ ]*ld-[^ ]*\) .*,\1,p')
"${inside[@]}" "$loader" --list /usr/bin/gymmigrate >"$work/out"
! grep "not found" "$work/out" || fail "the program misses libraries"
tar --list --verbose --file .build/container/root.tar >"$work/files"
awk '{ print $NF }' "$work/files" | sort >"$work/names"
! grep -E '^-..[sS]|^-.....[sS]|^[-d].......w[^t]' "$work/files" || fail "files that give rights to others"
! grep -E '/(sh|bash|perl|python3?|apt|dpkg)$' "$work/names" || fail "other programs"
for package in libc6 libcurl4 ca-certificates tzdata; do
  grep -qxF "./usr/share/doc/$package/copyright" "$work/names" || fail "there is no licence of $package"
done

say "it does the demo"
cat >"$work/gymmigrate" <<PROGRAM
#!/bin/sh
exec ${inside[*]} gymmigrate "\$@"
PROGRAM
chmod 755 "$work/gymmigrate"
# The script makes the folder, and the container's user writes into it.
(umask 0 && GYMMIGRATE=$work/gymmigrate "$work/scripts/demo.sh") >"$work/log" 2>&1 || { tail "$work/log" >&2; fail "the demo fails"; }
[[ -s $work/demo/gym.xlsx && -s $work/demo/users.csv ]] || fail "the demo left no workbook"

say "it exports what another serves"
"${inside[@]}" gymmigrate serve --memory --port 0 2>"$work/store" &
servers+=($!)
wait_for "$work/store" 'FIRESTORE_EMULATOR_HOST=.*[0-9]$'
address=$(grep -o '127[0-9.]*:[0-9]*' "$work/store" | tail -1)
store=(--endpoint "http://$address" --project p --schema gym --no-progress -q)
"${inside[@]}" gymmigrate import samples/gym/*.jsonl "${store[@]}"
"${inside[@]}" gymmigrate export --all -o served/ --format csv --time-zone America/Mexico_City "${store[@]}"
"${inside[@]}" gymmigrate export verify served/ -q || fail "the export is not what its manifest says"

say "it knows the authorities of the web, and trusts nobody else"
tar --extract --to-stdout --file .build/container/root.tar ./etc/ssl/certs/ca-certificates.crt >"$work/authorities"
[[ $(grep -c 'BEGIN CERTIFICATE' "$work/authorities") -ge 100 ]] || fail "there are too few certificates"
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout "$work/key.pem" \
  -out "$work/own.pem" 2>/dev/null
openssl s_server -accept 127.0.0.1:0 -www -key "$work/key.pem" -cert "$work/own.pem" >"$work/server" 2>&1 &
servers+=($!)
wait_for "$work/server" '^ACCEPT'
port=$(sed -n 's/^ACCEPT .*://p' "$work/server")
python3 - "$work" "$port" <<'PYTHON'
import json, pathlib, sys

folder, key = pathlib.Path(sys.argv[1]), {"type": "service_account", "project_id": "p", "client_email": "a@example.com"}
key |= {"private_key": (folder / "key.pem").read_text(), "token_uri": f"https://localhost:{sys.argv[2]}/"}
(folder / "account.json").write_text(json.dumps(key))
(folder / "account.json").chmod(0o644)
PYTHON
count() { # OPTIONS...: wants a token from that server
  buildah run --isolation chroot --volume "$work:$work" --env "GOOGLE_APPLICATION_CREDENTIALS=$work/account.json" "$@" "$container" -- \
    gymmigrate count users --project p >"$work/out" 2>&1
}
! count || fail "it trusts anybody"
grep -q 'from https://localhost.*self-signed certificate' "$work/out" || { cat "$work/out" >&2; fail "it does not look at certificates"; }
# Where the server is one of the authorities, what it answers is no token.
count --volume "$work/own.pem:/etc/ssl/certs/ca-certificates.crt" || true
grep 'from https://localhost' "$work/out" | grep -qv certificate || { cat "$work/out" >&2; fail "it asks other authorities"; }

echo "check-container: all is as it should be with the image $image."
