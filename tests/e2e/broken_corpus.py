# SPDX-License-Identifier: Apache-2.0
"""firstlightctl inspect over a corpus of broken and odd checkpoints: every fault is named, nothing else is.

    broken_corpus.py PROGRAMS [--only PREFIX]… [--corpus FOLDER] [--wrong-text] [--at-most N]

PROGRAMS is the folder of firstlightctl. The corpus is made by make_broken.py (workshop.maker() says where it is looked
for); without it the test is skipped. `--only` takes the beginning of a path or kind ("gguf", "text/config", "ok").

A case is right if a finding of its severity carries file, tensor or key, and the numbers and shapes of what was expected
and found, literally; other text counts as meaning, and `--wrong-text` lists where ours differs. An ok case is right if it
has no error, and all its tensors. Nothing may crash, take more than 8 s or more than 400 MB.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from workshop import SANITIZED, maker

SECONDS, MEGABYTES = 8, 400
# What only values can tell; the headers of these are right.
DEEP = re.compile(r"values|zero-filled-tail|norm-zero|both-forms|tied|scale-(nan|zero|neg|inf|den|huge)|-nan$"
                  r"|gguf/data-(zero|scale|norm)|^ok/(folder|hub|gguf)")
# The maker writes this folder without the bias it speaks of: it equals ok/plain.
WITHOUT_FAULT = {"safetensors/llama-bias-unexpected"}
# Files that end before their tensors are described: nothing in them tells how long they should be.
END_UNKNOWN = re.compile(r"gguf/cut-(empty|three|after-(magic|version|counts?)|in-)")
NUMBER = re.compile(r"(?<![\w.^])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w^])")


def numbers(text):
    """The numbers a text names, without the digits of file and tensor names, hexadecimal or powers."""
    return NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3})", "", str(text)))


def equal(wanted, number):
    """Whole numbers digit by digit: they may have more than a float holds."""
    return str(wanted) == number if isinstance(wanted, int) else float(wanted) == float(number)


def places(finding):
    return [str(finding.get(k, "")) for k in ("file", "tensor", "key")] + list(finding.get("examples", []))


def names_place(wanted, given):
    """`model.layers.1.*` is named by itself or by anything below it, `*.x` by anything that ends so."""
    return any(g == wanted or "*" in wanted and fnmatch.fnmatchcase(g, wanted) for g in given)


def agrees(wanted, given, anywhere):
    """Numbers and shapes stand in the field itself, those inside a text anywhere in the finding."""
    if wanted is None:
        return True
    if isinstance(wanted, str) and wanted.startswith("<= ") and given.startswith("<= "):
        return True  # the maker's bound is at times the size of another file
    if isinstance(wanted, bool) or isinstance(wanted, str):
        return set(numbers(wanted)) <= set(numbers(anywhere))
    if isinstance(wanted, list):
        texts = [item for item in wanted if isinstance(item, str)]
        shape = "[" + ", ".join(map(str, wanted)) + "]"
        return all(text in given for text in texts) if texts else shape in re.sub(r" [×x] ", ", ", given)
    return any(equal(wanted, number) for number in numbers(given)) or str(wanted) == given.strip()


def carries(finding, say):
    given = places(finding)
    if say.get("file") and not names_place(say["file"], [pathlib.Path(g).name if g else g for g in given] + given):
        return False
    for field in ("tensor", "key"):
        if say.get(field) and not names_place(printable(say[field]), given):
            return False
    everything = " ".join(map(str, [*finding.values(), *given]))
    return all(agrees(say.get(k), str(finding.get(k, "")), everything) for k in ("expected", "found"))


def printable(name):
    """Names are shown escaped."""
    return "".join(c if c >= " " and c != "\x7f" else f"\\x{ord(c):02x}" for c in str(name))


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def inspected(program, corpus, case):
    """(exit status or 'hangs', document, what it logged)"""
    words = [program, "inspect", str(corpus / case["path"]), "--json"]
    if DEEP.search(case["kind"]):
        words.append("--deep")
    child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    try:
        out, log = child.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return "hangs", {}, ""
    try:
        return child.returncode, json.loads(out), log.decode(errors="replace")
    except ValueError:
        return child.returncode, {}, (out + log).decode(errors="replace")


def said(case):
    """What can be known of the case."""
    unknown = {"expected"} if END_UNKNOWN.match(case["kind"]) else set()
    return {k: v for k, v in case["say"].items() if k not in unknown}


def fault(case, status, document, log):
    """What is wrong with the answer, or ''."""
    if status == "hangs" or not isinstance(status, int) or status < 0 or status not in (0, 1, 3) or not document:
        return f"status {status} {log.strip()[-200:]}"
    findings, severity, say = document.get("findings", []), case["severity"], said(case)
    errors = [f for f in findings if f["severity"] == "error"]
    if severity != "error" and errors:
        return "should be no error: " + "; ".join(short(f) for f in errors[:3])
    if severity == "ok":
        held = document.get("tensors")
        return "" if held == say.get("tensors", held) else f"{held} tensors, not {say['tensors']}"
    if any(f["severity"] == severity and carries(f, say) for f in findings):
        return ""
    given = "; ".join(short(f) for f in findings[:4]) or "nothing"
    return f"wanted {json.dumps(say, ensure_ascii=False)[:260]}\n        got {given}"


def short(finding):
    fields = {k: finding.get(k) for k in ("file", "tensor", "key", "expected", "found", "count") if finding.get(k)}
    return f"{finding['severity'][0]} {finding['code']} {json.dumps(fields, ensure_ascii=False)[:400]}"


def other_words(case, document):
    """Where text was expected and ours is another; for people to judge."""
    say = case["say"]
    right = [f for f in document.get("findings", []) if f["severity"] == case["severity"] and carries(f, say)]
    if right and case["severity"] != "ok":
        for field in ("expected", "found"):
            wanted = say.get(field)
            if isinstance(wanted, str) and not any(f.get(field) == wanted for f in right):
                yield f"{case['path']} {field}: {wanted!r}, ours {right[0].get(field, '')!r}"


def run(arguments, corpus):
    program = str(pathlib.Path(arguments.programs) / "firstlightctl")
    cases = [json.loads(line) for line in (corpus / "expected.jsonl").read_text().splitlines()]
    cases = [c for c in cases if c["path"] not in WITHOUT_FAULT]
    if arguments.only:
        cases = [c for c in cases if any(c["path"].startswith(o) or c["kind"].startswith(o) for o in arguments.only)]
    table, wrong, words = collections.defaultdict(collections.Counter), [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, answer in zip(cases, pool.map(lambda c: inspected(program, corpus, c), cases)):
            problem = fault(case, *answer)
            table[case["path"].split("/")[0], case["severity"]]["wrong" if problem else "right"] += 1
            if problem:
                wrong.append(f"{case['path']} ({case['severity']})\n        {problem}")
            words += other_words(case, answer[1])
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(*wrong, sep="\n")
    if arguments.wrong_text:
        print(*words, sep="\n")
    for (group, severity), counts in sorted(table.items()):
        print(f"{group:12} {severity:8} {counts['right']:5} right {counts['wrong']:5} wrong")
    print(f"{len(cases) - len(wrong)} of {len(cases)} right; largest process {peak} MB")
    return 1 if len(wrong) > arguments.at_most or (peak > MEGABYTES and not SANITIZED) or not cases else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--only", action="append")
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--wrong-text", action="store_true")
    parser.add_argument("--at-most", type=int, default=0, help="wrong ones that are let pass")
    arguments = parser.parse_args()
    if arguments.corpus:
        return run(arguments, arguments.corpus)
    make = maker("make_broken.py")
    with tempfile.TemporaryDirectory(prefix="fl-broken-") as folder:
        corpus = pathlib.Path(folder) / "corpus"
        subprocess.run([sys.executable, "-B", make, corpus], check=True, stdout=subprocess.DEVNULL)
        return run(arguments, corpus)


if __name__ == "__main__":
    sys.exit(main())
