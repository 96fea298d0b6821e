#!/usr/bin/env bash
# Unpacks the package that PACKAGE names, an address or a path, where its SHA-256 is SHA256, and puts it into the job's PATH.
set -euo pipefail
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/gymmigrate.XXXXXX")
package=$folder/package.tar.gz
case $PACKAGE in
  https://*) curl --fail --silent --show-error --location --proto '=https' --output "$package" "$PACKAGE" ;;
  http://*)
    echo "gymmigrate: $PACKAGE is not https" >&2
    exit 64
    ;;
  *) cp "$PACKAGE" "$package" ;;
esac
if ! sha256sum --check --status - <<<"$SHA256  $package"; then
  echo "gymmigrate: $PACKAGE has the SHA-256 $(sha256sum "$package" | cut -d ' ' -f 1), not $SHA256" >&2
  exit 65
fi
tar -xzf "$package" -C "$folder" --strip-components 1
rm "$package"
echo "$folder/bin" >>"$GITHUB_PATH"
