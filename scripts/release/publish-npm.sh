#!/bin/sh
# Publishes the npm packages of a release: publish-npm.sh FOLDER
#
# Those of the systems come first and momo-sandbox last, so that they exist when it is installed. Packages that the registry already has
# are skipped, so that an interrupted run can be repeated.
set -eu

fail() {
  printf 'publish: %s\n' "$*" >&2
  exit 1
}

member() { # TARBALL NAME: the text of a member of its package.json
  tar -xzOf "$1" package/package.json | sed -n "s/^  \"$2\": \"\(.*\)\",\{0,1\}\$/\1/p"
}

publish() { # TARBALL
  name=$(member "$1" name)
  version=$(member "$1" version)
  case $name:$version in
    :* | *:) fail "$1 is no npm package" ;;
  esac
  if [ "$(npm view "$name@$version" version 2>/dev/null || true)" = "$version" ]; then
    printf '%s %s already exists\n' "$name" "$version"
    return
  fi
  case $version in
    *-*) tag=next ;;
    *) tag=latest ;;
  esac
  npm publish --provenance --access public --tag "$tag" "$1"
  printf '%s %s is published\n' "$name" "$version"
}

main() {
  [ -d "${1:-}" ] || fail "a folder with the packages is needed"
  last=
  for tarball in "$1"/*.tgz; do
    [ -e "$tarball" ] || fail "$1 has no packages"
    case $(member "$tarball" name) in
      @*) publish "$tarball" ;;
      *)
        [ -z "$last" ] || fail "$last and $tarball are both without a scope"
        last=$tarball
        ;;
    esac
  done
  [ -n "$last" ] || fail "$1 has no momo-sandbox"
  publish "$last"
}

main "$@"
