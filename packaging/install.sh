#!/bin/sh
# Installs catchword @VERSION@ for this user: downloads the archive for this machine, checks its SHA-256 and copies the
# program to ~/.local/bin. Changes nothing else; `catchword init` sets up the hooks.
#   CATCHWORD_BIN   another folder to install to
#   CATCHWORD_FROM  another place to download from
set -eu

version='@VERSION@'
from="${CATCHWORD_FROM:-@REPOSITORY@/releases/download/v$version}"
bin="${CATCHWORD_BIN:-$HOME/.local/bin}"

fail() {
  echo "catchword: $1" >&2
  exit 1
}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "no prebuilt program for $(uname -s) on $(uname -m). With Rust: cargo install --locked catchword" ;;
esac
command -v curl >/dev/null || fail 'curl is needed to download the program.'
if command -v sha256sum >/dev/null; then sum='sha256sum'; else sum='shasum -a 256'; fi
# What begins with https stays there, whatever a server redirects to.
case "$from" in
  https://*) only='--proto =https' ;;
  *) only= ;;
esac
# Relative to where the person is, not to the folder of the download.
case "$bin" in
  /*) ;;
  *) bin="$PWD/$bin" ;;
esac
[ ! -d "$bin/catchword" ] || fail "$bin/catchword is a folder. Move it away, or set CATCHWORD_BIN to another folder."

name="catchword-$version-$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
# shellcheck disable=SC2086 # $only is two words, or none.
download() { curl -fsSL $only -o "$1" "$from/$1"; }
download "$name.tar.gz" || fail "cannot download $from/$name.tar.gz"
download "$name.tar.gz.sha256" || fail "cannot download the checksum of $name.tar.gz"
# The file may name any file: only its sum counts, and it must be that of the archive.
wanted="$(head -n 1 "$name.tar.gz.sha256" | cut -d ' ' -f 1)"
found="$($sum "$name.tar.gz" | cut -d ' ' -f 1)"
[ -n "$found" ] && [ "$wanted" = "$found" ] || fail "the checksum of $name.tar.gz is wrong; nothing was installed."
tar -xzf "$name.tar.gz"
mkdir -p "$bin"
# A running hook keeps the old file: copy beside it, then rename.
cp "$name/catchword" "$bin/.catchword.new"
chmod 755 "$bin/.catchword.new"
mv -f "$bin/.catchword.new" "$bin/catchword"

echo "catchword $version is in $bin."
case ":$PATH:" in
  *":$bin:"*) echo 'Next: catchword try, then catchword init.' ;;
  *) echo "Add $bin to your PATH, then run: catchword try" ;;
esac
