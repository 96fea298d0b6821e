# Sourced by benchmarks of reads: the release binary, the proxy that is far away, and a folder of their own, which goes with
# their servers at the end.
binary=${GYMMIGRATE_BINARY:-bin/gymmigrate}
[[ -x $binary ]] || { echo "There is no $binary; run 'make build', or name another with GYMMIGRATE_BINARY." >&2; exit 1; }
binary=$(realpath "$binary")
proxy=$PWD/scripts/delay-proxy.py
folder=$(mktemp -d)
servers=()
cleanUp() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait
  rm -rf "$folder"
}
trap cleanUp EXIT
