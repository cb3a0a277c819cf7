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

name="catchword-$version-$target"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
curl -fsSL -o "$name.tar.gz" "$from/$name.tar.gz" || fail "cannot download $from/$name.tar.gz"
curl -fsSL -o "$name.tar.gz.sha256" "$from/$name.tar.gz.sha256" || fail "cannot download the checksum of $name.tar.gz"
$sum --check "$name.tar.gz.sha256" >/dev/null 2>&1 || fail "the checksum of $name.tar.gz is wrong; nothing was installed."
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
