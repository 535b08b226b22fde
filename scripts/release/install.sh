#!/bin/sh
# Installs momo for this user: curl -fsSL ADDRESS/install.sh | sh
#
#   MOMO_INSTALL   the folder for the executable (default: ~/.local/bin)
#   MOMO_RELEASES  where the archives and SHA256SUMS are: an address, or a folder
#
# It checks the sum of the archive, tries the executable before it replaces an older momo, replaces no other program, needs no root,
# and changes no file of a shell. Everything is in a function, so that an incomplete script does nothing.
set -eu

fail() {
  printf 'momo: %s\n' "$*" >&2
  exit 1
}

fetch() { # ADDRESS FILE
  if [ "${1#*://}" = "$1" ]; then
    cp "$1" "$2" 2>/dev/null || fail "$1 cannot be read"
  elif command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 2 -o "$2" "$1" 2>"$draft/complaint" || fail "$1 cannot be downloaded: $(tail -n 1 "$draft/complaint")"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1" || fail "$1 cannot be downloaded"
  else
    fail "curl or wget is needed"
  fi
}

sum_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

refuse_another() { # FILE: anything but a momo stays. Each momo has the name of this header in it.
  if [ -d "$1" ]; then fail "$1 is a folder, and stays as it is; choose another folder with MOMO_INSTALL"; fi
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then return; fi
  if [ -f "$1" ] && LC_ALL=C grep -q X-Momo-Server "$1" 2>/dev/null; then return; fi
  fail "$1 is another program, and stays as it is; choose another folder with MOMO_INSTALL"
}

target() {
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "there is no momo for $(uname -s) here; for Windows download the .zip" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no momo for the processor $(uname -m); there is one for x86_64 and arm64" ;;
  esac
  # Debian with the package musl also has musl's loader, so this checks the C library in use, not the file.
  if [ "$system" = linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then cpu=$cpu-musl; fi
  printf '%s-%s' "$system" "$cpu"
}

main() {
  releases=${MOMO_RELEASES:-@RELEASES@}
  folder=${MOMO_INSTALL:-"~/.local/bin"}
  case $folder in
    \~ | \~/*)
      [ -n "${HOME:-}" ] || fail "HOME is not set, so $folder is not known; set HOME, or choose another folder with MOMO_INSTALL"
      folder=$HOME${folder#\~}
      ;;
  esac
  [ -n "$releases" ] || fail "where the releases are is not known: set MOMO_RELEASES"
  name=momo-$(target).tar.gz

  mkdir -p "$folder" 2>/dev/null || fail "$folder cannot be made; choose another folder with MOMO_INSTALL"
  [ -w "$folder" ] || fail "$folder cannot be written; choose another folder with MOMO_INSTALL"
  # Absolute and without a slash at its end, as in PATH: below, the momo that PATH finds is compared with the one of this folder.
  whole=$(CDPATH='' cd -- "$folder" 2>/dev/null && pwd) || fail "$folder cannot be written; choose another folder with MOMO_INSTALL"
  folder=$whole
  refuse_another "$folder/momo"
  draft=$(mktemp -d 2>/dev/null) || fail "there is no room for temporary files in ${TMPDIR:-/tmp}; choose another folder with TMPDIR"
  new=
  trap 'rm -rf "$draft" ${new:+"$new"}' EXIT
  trap 'exit 1' HUP INT TERM

  fetch "$releases/SHA256SUMS" "$draft/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\$/\1/p" "$draft/SHA256SUMS")
  [ -n "$expected" ] || fail "SHA256SUMS has no $name"
  fetch "$releases/$name" "$draft/$name"
  [ "$(sum_of "$draft/$name")" = "$expected" ] || fail "the sum of $name is wrong: the download is incomplete, or not the released file; nothing was installed"

  tar -xzf "$draft/$name" -C "$draft" momo || fail "$name cannot be unpacked"
  # In the folder itself: the one for temporary files may forbid to execute. Nobody can put a file or a link in its place before.
  new=$(mktemp "$folder/.momo-new.XXXXXXXXXX" 2>/dev/null) || fail "$folder has no room, or cannot be written"
  cp "$draft/momo" "$new" 2>/dev/null || fail "$folder has no room, or cannot be written"
  chmod 755 "$new"
  if ! version=$("$new" --version 2>"$draft/complaint"); then
    case $(cat "$draft/complaint") in
      *libstdc++*) hint=" (on Alpine: apk add libstdc++)" ;;
      *"Permission denied"*) hint=" ($folder may forbid to execute: choose another folder with MOMO_INSTALL)" ;;
      *) hint="" ;;
    esac
    fail "the executable does not run here$hint: $(head -n 1 "$draft/complaint"); nothing was installed"
  fi
  refuse_another "$folder/momo" # again: the download takes its time
  mv -f "$new" "$folder/momo" || fail "$folder/momo cannot be replaced"
  printf 'momo %s is installed: %s\n' "$version" "$folder/momo"

  found=$(command -v momo || true)
  if [ -z "$found" ]; then
    # shellcheck disable=SC2016 # this is what to type
    printf 'Put it on your path: export PATH="%s:$PATH"\n' "$folder"
  elif [ "$found" != "$folder/momo" ]; then
    printf 'Another momo comes first on your path: %s\n' "$found"
  fi
}

main "$@"
