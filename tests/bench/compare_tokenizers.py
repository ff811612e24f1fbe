#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our encoder against the tokenizers library, alternately, on one thread each.

    compare_tokenizers.py tokenizer_bench FOLDER TEXT [TURNS]

FOLDER holds a tokenizer.json, TEXT is a file of some megabytes. Needs `pip install tokenizers`.
"""
import json
import os
import statistics
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"

from tokenizers import Tokenizer  # noqa: E402  (after the variables that it reads)


def ours(program, folder, text):
    done = subprocess.run(
        [program, "--benchmark_filter=^Encode$", "--benchmark_format=json", "--benchmark_min_time=0.5"],
        env=dict(os.environ, FIRSTLIGHT_TOKENIZER=folder, FIRSTLIGHT_TEXT=text), capture_output=True, text=True, check=True)
    row = json.loads(done.stdout)["benchmarks"][0]
    return row["bytes_per_second"] / 1e6, int(row["tokens"])


def theirs(tokenizer, content):
    begin = time.perf_counter()
    ids = tokenizer.encode(content, add_special_tokens=False).ids
    return len(content.encode()) / (time.perf_counter() - begin) / 1e6, len(ids)


def main():
    program, folder, path = sys.argv[1:4]
    turns = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    with open(path, encoding="utf-8", newline="") as file:
        content = file.read()
    pairs = []
    for turn in range(turns):
        mine, count = ours(program, folder, path)
        other, expected = theirs(tokenizer, content)
        if count != expected:
            sys.exit(f"{count} tokens, the tokenizers library has {expected}")
        pairs.append((mine, other))
        print(f"turn {turn + 1}: firstlight {mine:.1f} MB/s, tokenizers {other:.1f} MB/s, ratio {mine / other:.2f}")
    print(f"median ratio {statistics.median(a / b for a, b in pairs):.2f}, {count} tokens alike")


if __name__ == "__main__":
    main()
