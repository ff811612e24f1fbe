#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the tiny tokenizers of this folder and writes what the tokenizers library (0.23) makes of
some lines: golden.jsonl. Usage: make_tokenizers.py (needs `pip install tokenizers`)."""
import json
import os

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
from tokenizers import pre_tokenizers, processors, trainers

HERE = os.path.dirname(os.path.abspath(__file__))
SPECIALS = ["<|bos|>", "<|eos|>", "<|im_start|>", "<|im_end|>"]
CORPUS = [
    "The quick brown fox jumps over the lazy dog. It's 2024 and the fox doesn't care; we'll see!",
    "Hello world, hello there. How many cards share a switch?\n\nThe model is loaded. "
    "模型已加载。 Café naïve über straße",
    "def main():\n    return [x for x in range(10)]\n",
] * 4
TEXTS = [
    "Hello world, hello there.",
    "It's 2024 and we'll see!  \n\n  Done",
    "模型已加载。 Café naïve",
    "cafe\u0301 ﬁ Å",
    "  leading and trailing  ",
    "\t\ttabs\r\nlines\n",
    "a<|im_start|>user\nHi<|im_end|> b",
    "x<think> y </think>z <tool> a<word>b <word> c",
    "1234567 ½ Ⅷ 12",
    "🏁 emoji 👩\u200d🚀\u1faee \U0001fae8\u1c89 \u180e x",
    " worldwide hello worldwide",
    "",
    "naïve\u00a0space\u3000ideographic",
    "don't DON'T 'ſ x",
    "a-b--c -d",
]
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def train(pre, normalizer=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=SPECIALS,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def plain():
    tokenizer = train(pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.add_tokens(
        [
            AddedToken("<think>", normalized=False, special=False),
            AddedToken("</think>", lstrip=True, rstrip=True, normalized=False, special=False),
            AddedToken("<tool>", normalized=True, special=False),
            AddedToken("<word>", single_word=True, normalized=False, special=True),
        ]
    )
    written = json.loads(tokenizer.to_str())
    written["model"]["merges"] = [" ".join(pair) for pair in written["model"]["merges"]]
    return written


def split():
    tokenizer = train(
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        ),
        normalizers.Sequence([normalizers.NFC()]),
    )
    tokenizer.add_tokens([AddedToken("<think>", normalized=False, special=False)])
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<|bos|> $A <|eos|>",
                pair="<|bos|> $A $B <|eos|>",
                special_tokens=[("<|bos|>", 0), ("<|eos|>", 1)],
            ),
        ]
    )
    written = json.loads(tokenizer.to_str())
    # A token that no merge reaches: only ignore_merges finds it. The added token moves up.
    written["model"]["vocab"]["Ġworldwide"] = written["added_tokens"][-1]["id"]
    written["added_tokens"][-1]["id"] += 1
    written["model"]["ignore_merges"] = True
    return written


def digits():
    return json.loads(
        train(
            pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Split("-", behavior="merged_with_next"),
                    pre_tokenizers.Digits(individual_digits=True),
                    pre_tokenizers.ByteLevel(add_prefix_space=True),
                ]
            ),
            normalizers.NFKC(),
        ).to_str()
    )


def golden(tokenizer):
    for text in TEXTS:
        for special, add in (("parse", False), ("parse", True), ("text", False)):
            tokenizer.encode_special_tokens = special == "text"
            ids = tokenizer.encode(text, add_special_tokens=add).ids
            yield {
                "text": text,
                "ids": ids,
                "decoded": tokenizer.decode(ids, skip_special_tokens=False),
                "visible": tokenizer.decode(ids),
                "special": special,
                "add_special_tokens": add,
            }


def main():
    for make in (plain, split, digits):
        folder = os.path.join(HERE, make.__name__)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "tokenizer.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(make(), file, ensure_ascii=False, indent=0)
        with open(os.path.join(folder, "golden.jsonl"), "w", encoding="utf-8") as file:
            for line in golden(Tokenizer.from_file(path)):
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
