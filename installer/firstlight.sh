#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the release preset and opens the workbench on the demo model,
# SmolLM2-135M-Instruct on six CPU cards (2 pipeline stages × 3 tensor-parallel ranks).
#
#   firstlight.sh [--headless] [--model PATH] [--cluster C] [--tp N] [--pp N] [--prefix DIR]
#
#   --headless     the same path in the terminal: census, plan, launch, load, one answer
#   --model PATH   another checkpoint; its cut is chosen unless --tp and --pp say it
#   --cluster C    local, cpu:cards=N,memory=SIZE,threads=T, or a JSON file
#   --prefix DIR   also install the programs there
set -euo pipefail

usage() {
    sed -n '3,12s/^# \{0,1\}//p' "$0"
}

headless=no model= cluster= tp= pp= prefix=
while [ $# -gt 0 ]; do
    case "$1" in
        --headless) headless=yes ;;
        --model | --cluster | --tp | --pp | --prefix)
            [ $# -ge 2 ] || {
                echo "$1 needs a value" >&2
                exit 2
            }
            printf -v "${1#--}" '%s' "$2"
            shift
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            echo "unknown option $1" >&2
            usage >&2
            exit 2
            ;;
    esac
    shift
done

root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/installer/packages.sh"
install_missing_packages "$root"

cd "$root"
cmake --preset release -DFIRSTLIGHT_TESTS=OFF >/dev/null
cmake --build --preset release
[ -z "$prefix" ] || cmake --install build/release --prefix "$prefix"

options=()
if [ -z "$model" ]; then
    model=$("$root/installer/fetch_smollm2.sh")
    : "${cluster:=cpu:cards=6,threads=1}" "${tp:=3}" "${pp:=2}"
fi
[ -z "$cluster" ] || options+=(--cluster "$cluster")
[ -z "$tp" ] || options+=(--tp "$tp")
[ -z "$pp" ] || options+=(--pp "$pp")

bin=$root/build/release/bin
if [ "$headless" = no ]; then
    exec "$bin/firstlight" "$model" "${options[@]}" --until load
fi
"$bin/firstlightctl" inspect "$model"
"$bin/firstlightctl" plan "$model" "${options[@]}"
exec "$bin/firstlightctl" chat "$model" "${options[@]}" -m "What is the capital of France?"
