#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what the reference implementation computes for a checkpoint, for `firstlightctl validate`.

    dump_reference.py CHECKPOINT OUT [--ids 1,2,3 | --ids random:200]… [--message TEXT]… [--greedy 8]

Needs the Python packages torch, transformers and safetensors. The model runs in float32 without a
cache. OUT gets cases.json and one safetensors file per case with input_ids, embed, layer.<i>,
layer.<i>.attn, layer.<i>.mlp, final_norm, logits, greedy and greedy_margin (float32, ids int64, no
batch dimension).
"""

import argparse
import json
import random
import re
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

MIXERS = ("self_attn", "linear_attn", "attn", "attention", "mixer")
MLPS = ("mlp", "ffn", "feed_forward", "block_sparse_moe")


def hidden(output):
    """Hidden states of a module's output without batch dimension, in float32."""
    while isinstance(output, (tuple, list)):
        output = output[0]
    return output.detach().float().squeeze(0)


class Recorder:
    """Keeps the outputs of the decoder layers and their two halves during one forward pass."""

    def __init__(self, model):
        self.arrays = {}
        layers = [m for _, m in model.named_modules() if re.search(r"DecoderLayer$", type(m).__name__)]
        self.hooks = [layers[0].register_forward_pre_hook(self.keep_input, with_kwargs=True)]
        for index, layer in enumerate(layers):
            self.watch(layer, f"layer.{index}")
            for name, module in layer.named_children():
                if name in MIXERS:
                    self.watch(module, f"layer.{index}.attn")
                elif name in MLPS:
                    self.watch(module, f"layer.{index}.mlp")

    def keep_input(self, _module, args, kwargs):
        self.arrays["embed"] = hidden(args[0] if args else kwargs["hidden_states"])

    def watch(self, module, name):
        def keep(_module, _args, output):
            self.arrays[name] = hidden(output)
        self.hooks.append(module.register_forward_hook(keep))

    def close(self):
        for hook in self.hooks:
            hook.remove()


@torch.no_grad()
def record(model, ids, greedy):
    """All arrays of one case: one pass over the prompt, then `greedy` choices one by one."""
    recorder = Recorder(model)
    output = model(torch.tensor([ids]), output_hidden_states=True, use_cache=False)
    recorder.close()
    arrays = recorder.arrays
    arrays["input_ids"] = torch.tensor(ids)
    arrays["final_norm"] = output.hidden_states[-1][0].float()
    arrays["logits"] = output.logits[0].float()
    chosen, margins, logits = [], [], output.logits
    for _ in range(greedy):
        best = logits[0, -1].float().topk(2)
        chosen.append(int(best.indices[0]))
        margins.append(float(best.values[0] - best.values[1]))
        logits = model(torch.tensor([ids + chosen]), use_cache=False).logits
    arrays["greedy"] = torch.tensor(chosen)
    arrays["greedy_margin"] = torch.tensor(margins)
    return {name: array.contiguous() for name, array in arrays.items()}


def cases_of(arguments, tokenizer, vocabulary):
    """(case description, ids) for each --ids and --message, in that order."""
    for number, text in enumerate(arguments.ids):
        if text.startswith("random:"):
            rng = random.Random(number)
            ids = [rng.randrange(3, vocabulary) for _ in range(int(text.removeprefix("random:")))]
        else:
            ids = [int(part) for part in text.split(",")]
        yield {"name": f"ids{number}", "tokens": len(ids), "kind": "ids"}, ids
    for number, text in enumerate(arguments.message):
        messages = [{"role": "user", "content": text}]
        prompt = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(prompt, add_special_tokens=False).input_ids
        yield {"name": f"message{number}", "tokens": len(ids), "kind": "text", "prompt": prompt,
               "messages": messages}, ids


def dump(checkpoint, out, arguments):
    model = AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(checkpoint) if arguments.message else None
    out.mkdir(parents=True, exist_ok=True)
    cases = []
    for case, ids in cases_of(arguments, tokenizer, model.config.vocab_size):
        save_file(record(model, ids, arguments.greedy), str(out / f"{case['name']}.safetensors"))
        cases.append(case)
    (out / "cases.json").write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ids", action="append", default=[])
    parser.add_argument("--message", action="append", default=[])
    parser.add_argument("--greedy", type=int, default=8)
    arguments = parser.parse_args()
    if not arguments.ids and not arguments.message:
        parser.error("name at least one --ids or --message")
    dump(arguments.checkpoint, arguments.out, arguments)


if __name__ == "__main__":
    main()
