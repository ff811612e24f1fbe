#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the dev preset and the fuzz programs and runs every test.
#
#   test.sh [--preset dev|asan|tsan|release] [ctest arguments…]
set -euo pipefail

preset=dev
if [ "${1:-}" = --preset ]; then
    preset=${2:?--preset needs a name}
    shift 2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/installer/packages.sh"
install_missing_packages "$root"

cd "$root"
# firstlight.sh builds the release preset without tests, and the cache would remember that.
cmake --preset "$preset" -DFIRSTLIGHT_TESTS=ON >/dev/null
cmake --build --preset "$preset"
if [ "$preset" = dev ]; then
    cmake --preset fuzz >/dev/null
    cmake --build --preset fuzz
fi
exec ctest --preset "$preset" "$@"
