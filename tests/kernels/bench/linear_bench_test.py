# SPDX-License-Identifier: Apache-2.0
# Covers: kernels/bench/linear_bench.cpp
"""Runs one short benchmark of each weight type: each compares itself with the reference first.

Usage: linear_bench_test.py PROGRAM
"""

import re
import subprocess
import sys

TYPES = ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q8_0", "Q4_K", "Q6_K"]


def main():
    only = "/1536x576/rows:1/"
    command = [sys.argv[1], "--benchmark_filter=" + only, "--benchmark_min_time=0.001"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [line for line in answer.splitlines() if line.startswith("linear/")]
    measured = [line.split("/")[1] for line in lines if "bytes_per_second" in line]
    if measured != TYPES:
        sys.exit(f"measured {measured}, expected {TYPES}:\n{answer}")
    if len(re.findall(r"^bf16 decode .* GB/s = \d", answer, re.M)) != 3:
        sys.exit(f"no decode rates:\n{answer}")


if __name__ == "__main__":
    main()
