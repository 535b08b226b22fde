#!/bin/sh
# Publishes the npm packages of a release: publish-npm.sh FOLDER
#
# Those of the systems come first and the one that users name last, so that they exist when it is installed. Packages that the registry
# already has are skipped, so that an interrupted run can be repeated.
set -eu

folder=${1:?a folder with the packages is needed}
name=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).name' "$(dirname "$0")/../../package.json")

for tarball in "$folder/$name"-[!0-9]*.tgz "$folder/$name"-[0-9]*.tgz; do
  [ -e "$tarball" ] || { echo "publish: there is no $tarball" >&2 && exit 1; }
  package=$(tar -xzOf "$tarball" package/package.json | node -p "const p = JSON.parse(fs.readFileSync(0)); p.name + '@' + p.version")
  if [ -n "$(npm view "$package" version 2>/dev/null || true)" ]; then
    echo "$package already exists"
    continue
  fi
  case ${package##*@} in
    *-*) tag=next ;;
    *) tag=latest ;;
  esac
  npm publish --provenance --access public --tag "$tag" "$tarball"
  echo "$package is published"
done
