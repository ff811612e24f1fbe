# SPDX-License-Identifier: Apache-2.0
"""Folders that are too large, hostile, unreadable or in motion: a finding each, in bounded memory."""

import errno
import json
import os
import threading

from workshop import MODELS, SANITIZED, check, read_shard, write_shard

FIRST, SECOND = (f"model-0000{i}-of-00002.safetensors" for i in (1, 2))


def inspected(workshop, folder, *options, megabytes=200, **environment):
    """(what `inspect` says, its exit code) within this much resident memory."""
    process = workshop.start("firstlightctl", "inspect", folder, "--json", *options,
                             env={**workshop.environment, **environment})
    peak = f"/proc/{process.pid}/status"
    highest = 0

    def watch():
        nonlocal highest
        while process.poll() is None:
            try:
                lines = open(peak, encoding="ascii").read().splitlines()
            except OSError:
                return
            highest = max([highest] + [int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")])

    watcher = threading.Thread(target=watch)
    watcher.start()
    done = workshop.finish(process)
    watcher.join()
    check(done.code in (0, 1), str(done))
    check(highest <= megabytes or SANITIZED, f"{highest} MB resident")
    return done


def about(done, file):
    """The first finding that names this file."""
    found = [one for one in done.findings() if one.get("file") == file]
    check(found, f"nothing is said of {file}: {done}")
    check(found[0]["message"] and found[0]["remedy"], str(found[0]))
    return found[0]


def huge_files(workshop):
    """2 GiB where a few KiB belong; nothing of it is read."""
    folder = workshop.copy()
    for name in ("config.json", "model.safetensors.index.json", "tokenizer.json", "tokenizer_config.json",
                 "generation_config.json"):
        path = folder / name
        before = path.read_bytes()
        with path.open("r+b") as file:
            file.truncate(2 << 30)
        finding = about(inspected(workshop, folder, megabytes=100), name)
        check("256 MiB" in finding["expected"] and str(2 << 30) in finding["found"], str(finding))
        path.write_bytes(before)
    header = (2 << 30).to_bytes(8, "little")
    with (folder / FIRST).open("wb") as file:
        file.write(header)
        file.truncate(3 << 30)
    finding = about(inspected(workshop, folder, megabytes=100), FIRST)
    check(finding["code"] == "header-length", str(finding))


def many_shards(workshop):
    """A hundred thousand files of one tensor each."""
    folder = workshop.copy()
    for path in folder.glob("*.safetensors*"):
        path.unlink()
    count = 100_000
    names = {f"w{i}": f"model-{i + 1:06}-of-{count:06}.safetensors" for i in range(count)}
    for tensor, name in names.items():
        write_shard(folder / name, {tensor: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}, bytes(4))
    index = {"metadata": {"total_size": 4 * count}, "weight_map": names}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    done = inspected(workshop, folder, megabytes=400)
    check(done.json["files"] == count and done.json["tensors"] == count, str(done))
    check(done.finding("tensor-unexpected")["count"] == count, str(done))


def pipes(workshop):
    """What waits for a writer for ever is never opened."""
    for name in ("config.json", "model.safetensors.index.json", "tokenizer.json", FIRST):
        path = workshop.root / "model" / name
        if not path.parent.exists():
            workshop.copy()
        before = path.read_bytes()
        path.unlink()
        os.mkfifo(path)
        finding = about(inspected(workshop, path.parent), name)
        check(finding["remedy"] == "put the real file in its place", str(finding))
        path.unlink()
        path.write_bytes(before)


def hostile_names(workshop):
    """Names that would steer a terminal or turn a line around are shown escaped."""
    folder = workshop.copy()
    header, data = read_shard(folder / FIRST)
    entry = header.pop("model.embed_tokens.weight")
    header["model.\x1b[2J\u202eembed\n.weight"] = entry
    write_shard(folder / FIRST, header, data)
    (folder / "model-\n\x1b[31m\u202e.safetensors").write_bytes((folder / SECOND).read_bytes())
    done = workshop.ctl("inspect", folder)
    check(done.code == 1 and "\\x1b[2J\\u202eembed\\x0a" in done.out, str(done))
    check("model-\\x0a\\x1b[31m\\u202e.safetensors" in done.out, str(done))
    steering = [letter for letter in done.out + done.log if (letter < " " and letter != "\n") or letter == "\u202e"]
    check(not steering, f"{steering} in {done}")


def paths_out_of_the_folder(workshop):
    """An index leads nowhere else; what lies there is not opened."""
    folder = workshop.copy()
    outside = workshop.root / "outside.safetensors"
    (folder / SECOND).rename(outside)
    index = folder / "model.safetensors.index.json"
    good = json.loads(index.read_text())
    for way in (str(outside), "../outside.safetensors", "x/../../outside.safetensors"):
        names = {tensor: way if file == SECOND else file for tensor, file in good["weight_map"].items()}
        index.write_text(json.dumps({**good, "weight_map": names}))
        done = inspected(workshop, folder)
        check(any(way in json.dumps(one) for one in done.findings()), f"{way}: {done}")
        check(done.json["files"] == 1, f"{way}: {done}")


def disk_errors(workshop):
    """EIO in a header, in values and in each text file; EACCES in opening."""
    shim = workshop.programs.parent / "lib/libfailing_reads.so"
    check(shim.exists(), f"{shim} is not built")
    folder = MODELS / "tiny-llama"

    def failing(file, *options, **more):
        done = inspected(workshop, folder, *options, LD_PRELOAD=str(shim), FAILING_FILE="/" + file, **more)
        finding = about(done, file)
        check("chmod u+r" in finding["remedy"] and "check the disk" in finding["remedy"], str(finding))
        return finding

    for file in ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json",
                 "model.safetensors.index.json", FIRST, SECOND):
        check("Input/output error" in failing(file)["message"], file)
        check("Permission denied" in failing(file, FAILING_OPEN=str(errno.EACCES))["message"], file)
    header = int.from_bytes((folder / SECOND).read_bytes()[:8], "little") + 8
    finding = failing(SECOND, "--deep", FAILING_FROM=str(header + 1000))
    check(finding["tensor"], f"no tensor is named: {finding}")


def changing_folder(workshop):
    """Files that are cut and come back while they are read: never a crash, and whole in the end."""
    folder = workshop.copy()
    whole = (folder / SECOND).read_bytes()
    going = True

    def change():
        step = 0
        while going:
            step += 1
            os.truncate(folder / SECOND, [len(whole) // 2, 4, 0, len(whole)][step % 4])
            (folder / "new").write_bytes(whole)
            os.replace(folder / "new", folder / SECOND)

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(20):
            done = inspected(workshop, folder, "--deep")
            check(done.code == 0 or done.findings(), str(done))
    finally:
        going = False
        changer.join()
    (folder / SECOND).write_bytes(whole)
    (folder / "new").unlink(missing_ok=True)
    check(inspected(workshop, folder, "--deep").code == 0, "the folder is whole again")


CASES = [huge_files, many_shards, pipes, hostile_names, paths_out_of_the_folder, disk_errors, changing_folder]
