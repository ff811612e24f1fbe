# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a model, a plan or a prompt is said once and clearly, and nothing starts."""

from workshop import MODELS, check, read_shard, write_shard

TINY = MODELS / "tiny-llama"
SHARD = "model-00002-of-00002.safetensors"


def refused(workshop, checkpoint, code, *options):
    """The finding by which `inspect` and `launch` both refuse; `launch` says it before any rank."""
    inspected = workshop.ctl("inspect", checkpoint, "--json")
    check(inspected.code == 1, f"inspect: {inspected}")
    check(code in inspected.codes(), f"inspect: {inspected}")
    launched = workshop.ctl("launch", checkpoint, "--name", workshop.job, "--json", *options)
    check(launched.code == 1, f"launch: {launched}")
    check(code in launched.codes(), f"launch: {launched}")
    check(all(one["stage"] == "inspect" for one in launched.findings()), f"launch: {launched}")
    return next(one for one in inspected.findings() if one["code"] == code)


def not_a_checkpoint(workshop):
    empty = workshop.root / "empty"
    empty.mkdir()
    text = workshop.root / "text.safetensors"
    text.write_text("<html>Not found</html>")
    for path in (empty, text, workshop.root / "nothing"):
        for verb in (["inspect", path], ["plan", path], ["launch", path, "--name", workshop.job],
                     ["chat", path, "-m", "hi"]):
            done = workshop.ctl(*verb, "--json")
            # What is there is judged; where there is nothing, there is nothing to judge.
            check(done.code == (1 if path.exists() else 3), f"{verb}: {done}")
            check(len(done.findings()) == 1 and path.name in done.findings()[0]["message"], f"{verb}: {done}")


def missing_shard(workshop):
    folder = workshop.copy()
    (folder / SHARD).unlink()
    finding = refused(workshop, folder, "shard-missing")
    check(SHARD in finding["file"] and finding["remedy"], str(finding))


def truncated_shard(workshop):
    folder = workshop.copy()
    content = (folder / SHARD).read_bytes()
    (folder / SHARD).write_bytes(content[:-100])
    finding = refused(workshop, folder, "shard-truncated")
    check(SHARD in finding["file"] and finding["expected"] and finding["found"], str(finding))


def unknown_architecture(workshop):
    folder = workshop.copy(architectures=["LlamaForCausalLMM"], model_type="llamaa")
    done = workshop.ctl("inspect", folder, "--json")
    check(done.code == 1, str(done))
    finding = done.finding("architecture-unknown")
    check("LlamaForCausalLMM" in finding["message"] and finding["remedy"], str(finding))
    check("qwen3_moe" in finding["expected"], f"the known ones are not named: {finding}")
    launched = workshop.ctl("launch", folder, "--name", workshop.job, "--json")
    check(launched.code in (1, 3) and launched.findings(), str(launched))


def edit_tensors(folder, edit):
    """Changes the header of the last shard and the index with it; the data stays as it is."""
    header, data = read_shard(folder / SHARD)
    edit(header)
    write_shard(folder / SHARD, header, data)
    import json
    index = folder / "model.safetensors.index.json"
    content = json.loads(index.read_text())
    kept = {name: file for name, file in content["weight_map"].items() if file != SHARD}
    content["weight_map"] = {**kept, **{name: SHARD for name in header if name != "__metadata__"}}
    index.write_text(json.dumps(content))


def tensor_contract(workshop):
    """All three faults at once: each has its finding, none hides another."""
    folder = workshop.copy()
    names = {}

    def edit(header):
        norm = next(name for name in header if name.endswith("post_attention_layernorm.weight"))
        proj = next(name for name in header if name.endswith("down_proj.weight"))
        names.update(missing=norm, unexpected=norm + ".old", misshaped=proj)
        header[norm + ".old"] = header.pop(norm)
        header[proj]["shape"] = header[proj]["shape"][::-1]

    edit_tensors(folder, edit)
    for code, which in (("tensor-missing", "missing"), ("tensor-unexpected", "unexpected"),
                        ("tensor-shape", "misshaped")):
        finding = refused(workshop, folder, code)
        check(names[which] in str(finding), f"{names[which]} is not named: {finding}")


def illegal_plan(workshop):
    cut = ["--tp", 4, "--pp", 5, "--ep", 3, "--dp", 7, "--cluster", "cpu:cards=2"]
    for verb in (["plan", TINY], ["launch", TINY, "--name", workshop.job]):
        done = workshop.ctl(*verb, *cut, "--json")
        check(done.code == 1, f"{verb}: {done}")
        legal = {one["key"]: one["expected"] for one in done.findings()}
        check("1, 2 or 6" in legal["tp"] or "plan-heads" in done.codes(), f"{verb}: {done}")
        for code in ("plan-heads", "plan-layers", "plan-experts", "plan-devices"):
            finding = done.finding(code)
            check(finding["expected"] and finding["found"] and finding["remedy"], str(finding))
        check("1, 2 or 6" in done.finding("plan-heads")["expected"], str(done))
        check("1 to 3" in done.finding("plan-layers")["expected"], str(done))
    done = workshop.ctl("plan", MODELS / "tiny-qwen3-moe", "--tp", 4, "--ep", 3, "--cluster", "cpu:cards=4", "--json")
    check(done.code == 1 and "ep" in [one["key"] for one in done.findings()], str(done))


def budget_too_small(workshop):
    """Half of what one rank holds: refused with the ledger, and with what would fit."""
    whole = workshop.ctl("plan", TINY, "--tp", 1, "--pp", 1, "--cluster", "cpu:cards=1", "--json")
    total = whole.json["ranks"][0]["ledger"]["total"]
    asked = ["--max-sequences", 8, "--max-context", 512]  # what is not asked for shrinks
    cluster = f"cpu:cards=4,memory={total // 2 // 1024}KiB"
    for verb in (["plan", TINY], ["launch", TINY, "--name", workshop.job]):
        done = workshop.ctl(*verb, "--tp", 1, "--pp", 1, "--cluster", cluster, *asked, "--json")
        check(done.code == 1, f"{verb}: {done}")
        finding = done.finding("plan-memory")
        check(finding["stage"] == "plan" and "tp" in finding["remedy"], f"{verb}: {finding}")
    planned = workshop.ctl("plan", TINY, "--tp", 1, "--pp", 1, "--cluster", cluster, *asked, "--json").json
    check(planned["ranks"][0]["ledger"]["total"] == total, f"no ledger: {planned['ranks']}")
    check(planned["alternatives"], "nothing that fits is offered")


def prompt_too_long(workshop):
    done = workshop.ctl("chat", TINY, "--cluster", "cpu:cards=1,threads=1", "--max-context", 64, "-m", "word " * 200,
                        "--json")
    check(done.code == 3, str(done))
    message = done.findings()[0]["message"]
    check("64" in message and "max_context" in message, message)


def empty_prompt(workshop):
    done = workshop.ctl("chat", TINY, "--cluster", "cpu:cards=1,threads=1", "-m", "", "--json")
    check(done.code in (2, 3) and "empty" in done.findings()[0]["message"], str(done))
    client = workshop.serving({"checkpoint": str(TINY), "cluster": "cpu:cards=1,threads=1"})
    answer = client.call("chat.send", {"request": "a", "messages": [], "raw": "", "ids": []})
    check("error" in answer and answer["error"]["message"], str(answer))
    client.ask("chat.send", {"request": "b", "ids": [3, 99999]})
    done = client.event("chat.done", lambda one: one["request"] == "b")
    check(done["finish"] == "error" and "99999" in done["error"], str(done))
    client.ask("chat.send", {"request": "c", "ids": [3, 4], "sampling": {"max_tokens": 2}})
    client.event("chat.done", lambda done: done["request"] == "c" and done["finish"] in ("length", "stop"))
    workshop.stop(client)


CASES = [not_a_checkpoint, missing_shard, truncated_shard, unknown_architecture, tensor_contract, illegal_plan,
         budget_too_small, prompt_too_long, empty_prompt]
