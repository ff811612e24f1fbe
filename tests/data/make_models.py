#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Wrote tests/data/models: tiny random checkpoints with tokenizer, template and golden numbers.

    make_models.py OUT      needs torch, transformers, tokenizers, safetensors

Weights are drawn at fan-in scale, so that a mistake in any part shows in the next layer.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoConfig, AutoModelForCausalLM

SPECIAL = ["<pad>", "<bos>", "<eos>", "<role>", "<end>"]
CORPUS = ["the first light of a telescope", "which card holds which layer", "experts, heads and pages",
          "loading shards from disk", "0 1 2 3 4 5 6 7 8 9", "模型 已 加载", "rank by rank, token by token"] * 4
TEMPLATE = ("{%- for message in messages -%}{{- '<role>' + message['role'] + '\\n' + message['content'] + "
            "'<end>\\n' -}}{%- endfor -%}{%- if add_generation_prompt -%}{{- '<role>assistant\\n' -}}{%- endif -%}")
COMMON = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0, "vocab_size": 320, "hidden_size": 48,
          "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2, "hidden_act": "silu",
          "max_position_embeddings": 512, "attention_bias": False, "torch_dtype": "bfloat16"}
CONFIGS = {
    "tiny-llama": {**COMMON, "architectures": ["LlamaForCausalLM"], "model_type": "llama", "head_dim": 8,
                   "intermediate_size": 96, "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "mlp_bias": False,
                   "tie_word_embeddings": True},
    "tiny-qwen3-moe": {**COMMON, "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe",
                       "head_dim": 16, "intermediate_size": 64, "moe_intermediate_size": 16, "num_experts": 8,
                       "num_experts_per_tok": 2, "norm_topk_prob": True, "decoder_sparse_step": 1,
                       "mlp_only_layers": [1], "rms_norm_eps": 1e-6, "rope_theta": 1000000.0,
                       "tie_word_embeddings": False, "num_attention_heads": 4},
}


def write_tokenizer(folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=316, special_tokens=SPECIAL, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<bos>", "eos_token": "<eos>",
         "pad_token": "<pad>", "clean_up_tokenization_spaces": False}, indent=1) + "\n")
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    (folder / "generation_config.json").write_text(json.dumps(
        {"bos_token_id": 1, "eos_token_id": [2, 4], "pad_token_id": 0}, indent=1) + "\n")


def write_model(folder, config):
    torch.manual_seed(1)
    scratch = folder / "config.json"
    folder.mkdir(parents=True, exist_ok=True)
    scratch.write_text(json.dumps(config, indent=1) + "\n")
    model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder))
    for name, weight in model.named_parameters():
        if weight.dim() == 1:
            torch.nn.init.uniform_(weight, 0.6, 1.4)
        else:
            torch.nn.init.normal_(weight, std=weight.shape[-1] ** -0.5)
    model.to(torch.bfloat16).save_pretrained(folder, max_shard_size="90KB")
    scratch.write_text(json.dumps(config, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    dump = Path(__file__).resolve().parents[2] / "resources/reference/dump_reference.py"
    for name, config in CONFIGS.items():
        folder = out / name
        write_model(folder, config)
        write_tokenizer(folder)
        subprocess.run([sys.executable, str(dump), str(folder), str(folder / "golden"), "--ids", "7",
                        "--ids", "random:50", "--message", "Which card holds layer 2? 模型"], check=True)


if __name__ == "__main__":
    main()
