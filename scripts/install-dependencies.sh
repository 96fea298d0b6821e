#!/usr/bin/env bash
# Installs the C libraries that gymmigrate links, where they are missing. Says what it does; a second run does nothing.
set -euo pipefail

debian=(libcurl4-openssl-dev libxlsxwriter-dev libsimdjson-dev libssl-dev zlib1g-dev libdeflate-dev libminizip-dev libexpat1-dev libsqlite3-dev pkg-config openssl python3 python3-venv)
brew=(curl libxlsxwriter simdjson openssl@3 zlib libdeflate minizip expat sqlite pkg-config python3)

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
  missing=()
  for package in "${debian[@]}"; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [[ $status == "install ok installed" ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -eq 0 ]] && exit 0
  sudo=()
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || {
      echo "Missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]}" >&2
      exit 1
    }
    sudo=(sudo)
  fi
  echo "Installing what is missing: ${missing[*]}"
  "${sudo[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
elif command -v brew >/dev/null; then
  missing=()
  for formula in "${brew[@]}"; do
    brew list --versions "$formula" >/dev/null 2>&1 || missing+=("$formula")
  done
  [[ ${#missing[@]} -eq 0 ]] && exit 0
  echo "Installing what is missing: ${missing[*]}"
  brew install "${missing[@]}"
else
  echo "Neither apt-get nor brew is here. gymmigrate needs: libcurl, libxlsxwriter, simdjson, OpenSSL, zlib, libdeflate, minizip, expat, SQLite." >&2
fi
