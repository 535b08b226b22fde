#!/bin/sh
# momo from its sources: slower to start than the executable, and never an old one. For MOMO_EXECUTABLE.
root="$(dirname "$0")/../.."
exec "$root/node_modules/.bin/bun" --no-env-file "$root/cli/main.ts" "$@"
