#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants failures in the real programs, one case a run.

    faults.py PROGRAMS CASE…    PROGRAMS is the folder with firstlightctl and firstlightd
    faults.py --list            the names of all cases, one a line; `all` runs them all

After each case, whatever it planted: no process, socket, job file, MPI session file or shared
memory of its job is left.
"""

import sys
import time
import traceback

import fault_cancel
import fault_checkpoints
import fault_files
import fault_memory
import fault_nodes
import fault_processes
import fault_sockets
from workshop import Skip, Workshop

CASES = {case.__name__: case for module in (fault_checkpoints, fault_files, fault_sockets, fault_processes, fault_cancel, fault_memory, fault_nodes) for case in module.CASES}


def run(programs, name):
    workshop = Workshop(programs)
    start = time.monotonic()
    try:
        CASES[name](workshop)
        workshop.check_nothing_left()
    except Skip as reason:
        print(f"skipped {name}: {reason}")
        return None
    except Exception:
        traceback.print_exc()
        for log in sorted(workshop.root.glob("state/firstlight/runs/*/*.log")):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:] if log.is_file() else ''}", file=sys.stderr)
        print(f"FAIL {name}")
        return False
    finally:
        workshop.end()
    print(f"ok   {name}  {time.monotonic() - start:.1f} s", flush=True)
    return True


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(CASES))
        return 0
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    names = list(CASES) if sys.argv[2:] == ["all"] else sys.argv[2:]
    results = [run(sys.argv[1], name) for name in names]
    if False in results:
        return 1
    return 0 if True in results else 77


if __name__ == "__main__":
    sys.exit(main())
