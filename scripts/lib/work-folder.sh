# Sourced by checks and benchmarks: a folder of their own, `work`, which goes at the end with the processes that `servers` has; what
# they need; the program, `binary`; and stores that it serves.
here=$PWD
work=$(mktemp -d)
servers=()
cleanUp() {
  for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap cleanUp EXIT

# Fails, with what to install, unless all of these are there. `time` stands for GNU time.
need() { # SCRIPT TOOL...
  local script=$1 missing=() tool
  shift
  for tool in "$@"; do
    if [[ $tool == time ]]; then
      /usr/bin/time -f %e true 2>/dev/null || missing+=("GNU time as /usr/bin/time")
    else
      command -v "$tool" >/dev/null || missing+=("$tool")
    fi
  done
  [[ ${#missing[@]} -eq 0 ]] && return
  printf "$script: this is missing: %s\n" "${missing[@]}" >&2
  echo "On Debian: apt-get install ${*/nginx/nginx-light}" >&2
  exit 69
}

# The program of GYMMIGRATE_BINARY, or that of `make build`.
find_binary() {
  binary=${GYMMIGRATE_BINARY:-bin/gymmigrate}
  [[ -x $binary ]] || { echo "There is no $binary; run 'make build', or name another with GYMMIGRATE_BINARY." >&2; exit 69; }
  binary=$(realpath "$binary")
}

# The program of GYMMIGRATE, or one that is built now.
build_binary() {
  [[ -n ${GYMMIGRATE:-} ]] || make -s build
  binary=$(realpath "${GYMMIGRATE:-bin/gymmigrate}")
}

# Serves a store; NAME.host has its host and its port then.
serve() { # NAME OPTIONS...
  : >"$1.served"
  "$binary" serve --port 0 "${@:2}" >>"$1.served" 2>&1 &
  servers+=($!)
  until grep -q '^FIRESTORE_EMULATOR_HOST=' "$1.served"; do
    kill -0 $! || { cat "$1.served" >&2; exit 1; }
    sleep 0.05
  done
  sed -n 's/^FIRESTORE_EMULATOR_HOST=//p' "$1.served" >"$1.host"
}

# The same, and NAME.far has where it is 80 ms away.
serve_far() { # NAME OPTIONS...
  serve "$@"
  : >"$1.port"
  python3 "$here/scripts/delay-proxy.py" "$(cut -d : -f 2 "$1.host")" 80 >"$1.port" &
  servers+=($!)
  until [[ -s $1.port ]]; do sleep 0.05; done
  echo "127.0.0.1:$(cat "$1.port")" >"$1.far"
}

# Runs the program, and writes what it took into the file `times`.
measure() { # NAME ARGUMENTS...
  /usr/bin/time -a -o times -f "$1 %e %M" "$binary" "${@:2}" -q --no-progress >/dev/null
}
