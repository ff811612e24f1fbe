#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains one small tokenizer of each kind that is no byte-level BPE and writes what the reference
library makes of some lines: kinds/NAME/golden.jsonl. Usage: make_kinds.py (needs `pip install
tokenizers sentencepiece tiktoken`; made with 0.23.3, 0.2.3, 0.14.0)."""
import base64
import io
import json
import os
import random
import tempfile

import sentencepiece
import tiktoken
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
from tokenizers import pre_tokenizers, processors, trainers

RULES = """FB01\t66 69
FB02\t66 6C
BD\t31 2044 32
2460\t31
A0\t20
3000\t20
9\t20
A\t20
200B\t
65 301\tE9
41\t61
C9\tE9
D\t
FF21\t61
AD\t
1F469 200D 1F680\t77
E4B8\t
"""
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kinds")
PROSE = """It was the best of times, it was the worst of times, it was the age of wisdom. The model
is loaded on every card and the cards share a switch; nobody knows how fast they are before they
are measured. Über die Straße läuft ein naïve fox. Le café coûte 3,50 € à Orléans. In 2024 there
were 1234567 rows. 模型已经加载完成,今天天气很好。我们在学习机器翻译。日本語のテキストも少し。
def main(): return [x for x in range(10) if x % 2 == 0]  # even numbers only
for (int i = 0; i < n; ++i) { sum += weights[i] * inputs[i]; }
Привет, мир! Как дела? שלום עולם. नमस्ते दुनिया. ﬁne ﬂow ½ ① Ａｂｃ カタカナ ｶﾀｶﾅ.
""" * 3
LINES = [
    "Hello world", " Hello", "  two  spaces  ", "", " ", "   ", "a", "\n", "a\nb\n\nc", "\ttab\t",
    "the best of times", "The model is loaded.", "naïve café über straße", "cafe\u0301 A\u030a ﬁ ½ ①",
    "Ａｂｃ ｶﾀｶﾅ", "模型已经加载完成", "日本語のテキスト", "Привет, мир!", "שלום עולם", "नमस्ते दुनिया",
    "🏁 👩\u200d🚀 x🏁y", "for (int i = 0; i < n; ++i) {", "1234567 rows", "<s> </s>", "a<s>b</s> c", "x<0x41>y",
    "▁ marks ▁▁ here▁", "a\u00a0b\u3000c\u2003d", "zero\u200bwidth", "tabs\tand  double   triple",
    "<user> said<user>hi <user>", "low <think> x </think> y", "UPPER lower MiXeD", "don't DON'T", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\u0001\u0007control\u007f", "e\u0301e\u0301 é", "\ufeffbom", "x" * 100, "ab " * 40, "한국어 문장", "İstanbul ǅ", "[MASK] [mask]",
    "trailing space ", "\u1fae8 \U0001fae8 unknown: \U00010d40", "©®™ ℡ ㌀", "ก็ ไทย", "ｱﾞ か\u3099", "‘quotes’ “double”",
]


def random_lines(seed, count):
    rng = random.Random(seed)
    pool = [c for c in PROSE] + list("  \n\t▁éßñ中文字日本🏁€½①ﬁ\u0301\u200d<>/") + ["<s>", "the ", "ing", " wor"]
    return ["".join(rng.choice(pool) for _ in range(rng.randrange(1, 40))) for _ in range(count)]


ALL = LINES + random_lines(1, 60)


def folder(name):
    path = os.path.join(HERE, name)
    os.makedirs(path, exist_ok=True)
    return path


def write_golden(name, rows):
    with open(os.path.join(folder(name), "golden.jsonl"), "w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False).replace("\u2028", "\\u2028") + "\n")


def hf_rows(path):
    tokenizer = Tokenizer.from_file(path)
    for text in ALL:
        for special, add in (("parse", True), ("text", False)):
            tokenizer.encode_special_tokens = special == "text"
            ids = tokenizer.encode(text, add_special_tokens=add).ids
            yield {"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False),
                   "visible": tokenizer.decode(ids), "special": special, "add_special_tokens": add}


def save_hf(name, tokenizer, change=None):
    written = json.loads(tokenizer.to_str())
    if change:
        change(written)
    path = os.path.join(folder(name), "tokenizer.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(written, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")
    write_golden(name, hf_rows(path))


BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def bpe(pre, normalizer, decoder, specials, fallback=True, added=()):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, pre or pre_tokenizers.WhitespaceSplit()
    if pre is None:  # trained on words, used on whole texts
        tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    tokenizer.train_from_iterator(PROSE.split("\n"), trainers.BpeTrainer(
        vocab_size=700, special_tokens=specials + (BYTES if fallback else []), limit_alphabet=90, show_progress=False))
    if pre is None:
        tokenizer.pre_tokenizer = None
    tokenizer.decoder = decoder
    tokenizer.add_tokens(list(added))
    return tokenizer


def keep_specials(written):
    """The byte tokens belong to the model; only the first are added tokens."""
    written["added_tokens"] = [t for t in written["added_tokens"] if not t["content"].startswith("<0x")]


def llama_legacy():
    normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                                 decoders.Strip(" ", 1, 0)])
    tokenizer = bpe(None, normalizer, decoder, ["<unk>", "<s>", "</s>"], added=[
        AddedToken("<user>", normalized=True, special=False), AddedToken("<think>", lstrip=True, rstrip=True, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    save_hf("llama", tokenizer, keep_specials)


def gemma():
    decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer = bpe(pre_tokenizers.Split("▁", "merged_with_previous"), normalizers.Replace(" ", "▁"), decoder, ["<unk>", "<s>", "</s>"],
                    added=[AddedToken("<user>", normalized=False, single_word=True)])
    save_hf("gemma", tokenizer, keep_specials)


def metaspace():
    for scheme in ("first", "always", "never"):
        tokenizer = bpe(pre_tokenizers.Metaspace(prepend_scheme=scheme, split=scheme != "first"), None,
                        decoders.Sequence([decoders.Metaspace(prepend_scheme=scheme), decoders.ByteFallback()]) if scheme == "always"
                        else decoders.Metaspace(prepend_scheme=scheme), ["<unk>", "<s>", "</s>"], fallback=scheme == "always")
        save_hf("metaspace-" + scheme, tokenizer, keep_specials)


def spaces():
    normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents(),
                                       normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")])
    pre = pre_tokenizers.Sequence([pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(individual_digits=False)])
    tokenizer = bpe(pre, normalizer, decoders.Fuse(), ["<unk>", "<s>", "</s>"], fallback=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 1))
    save_hf("words", tokenizer)


def unigram(charsmap):
    for name, fallback in (("unigram", False), ("unigram-bytes", True)):
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()]) if fallback else decoders.Metaspace()
        tokenizer.train_from_iterator(PROSE.split("\n"), trainers.UnigramTrainer(
            vocab_size=500, special_tokens=["<unk>", "<s>", "</s>"] + (BYTES if fallback else []), unk_token="<unk>", show_progress=False))

        def change(written):
            keep_specials(written)
            written["model"]["byte_fallback"] = fallback

        save_hf(name, tokenizer, change)


def sp_rows(processor):
    for text in ALL:
        ids = processor.encode(text)
        yield {"text": text, "ids": ids, "visible": processor.decode([i for i in ids if i != processor.unk_id()]),
               "special": "none", "add_special_tokens": False}


def sentencepiece_models():
    """The tables that the library brings along are 240 KB each, so these have rules of their own."""
    rules = os.path.join(tempfile.mkdtemp(), "rules.tsv")
    with open(rules, "w", encoding="utf-8") as file:
        file.write(RULES.replace("E4B8\t\n", ""))
    kinds = {
        "sp-bpe": dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False,
                       user_defined_symbols=["<user>", "  "], vocab_size=760),
        "sp-bpe-plain": dict(model_type="bpe", byte_fallback=False, normalization_rule_tsv=rules, split_by_whitespace=False, vocab_size=500),
        "sp-unigram": dict(model_type="unigram", byte_fallback=False, normalization_rule_tsv=rules,
                           user_defined_symbols=["<user>", "ing"], vocab_size=450),
        "sp-unigram-bytes": dict(model_type="unigram", byte_fallback=True, add_dummy_prefix=False, vocab_size=720,
                                 normalization_rule_tsv=rules, treat_whitespace_as_suffix=True),
    }
    for name, options in kinds.items():
        made = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(PROSE.split("\n")), model_writer=made, hard_vocab_limit=False, character_coverage=0.985,
            num_threads=1, minloglevel=2, **options)
        with open(os.path.join(folder(name), "tokenizer.model"), "wb") as file:
            file.write(made.getvalue())
        processor = sentencepiece.SentencePieceProcessor(model_proto=made.getvalue())
        write_golden(name, sp_rows(processor))
        yield name, made.getvalue()


def trained_ranks():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(PROSE.split("\n"), trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False))
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    chars = {chr(b): b for b in keep}
    chars.update({chr(256 + i): b for i, b in enumerate(b for b in range(256) if b not in keep)})
    return {bytes(chars[c] for c in token): rank for token, rank in tokenizer.get_vocab().items()}


KIMI_LIKE = {"tokenizer_class": "TikTokenTokenizer", "bos_token": "[BOS]", "eos_token": "[EOS]"}


def tiktoken_files():
    splits = json.load(open(os.path.join(HERE, "..", "..", "..", "..", "resources", "tokenizers", "pre.json"), encoding="utf-8"))["splits"]
    pattern = next(s["patterns"][0] for s in splits if "kimi-k2" in s["names"])
    ranks = trained_ranks()
    path = folder("ranks")
    with open(os.path.join(path, "tiktoken.model"), "w", encoding="utf-8") as file:
        for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
            file.write(f"{base64.b64encode(token).decode()} {rank}\n")
    names = {0: "[BOS]", 1: "[EOS]", 22: "<think>"}
    settings = dict(KIMI_LIKE, added_tokens_decoder={str(len(ranks) + at): {"content": name, "special": name[0] == "["} for at, name in names.items()})
    with open(os.path.join(path, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file, indent=1)
    specials = {names.get(at, f"<|reserved_token_{len(ranks) + at}|>"): len(ranks) + at for at in range(256)}
    encoding = tiktoken.Encoding("t", pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
    rows = []
    for text in ALL + ["a[BOS]b<think>[EOS]", f"<|reserved_token_{len(ranks) + 5}|>"]:
        for special, allowed in (("parse", "all"), ("none", set())):
            ids = encoding.encode(text, allowed_special=allowed, disallowed_special=())
            rows.append({"text": text, "ids": ids, "decoded": encoding.decode(ids), "special": special, "add_special_tokens": False})
    write_golden("ranks", rows)
    with open(os.path.join(path, "invalid_utf8.jsonl"), "w", encoding="utf-8") as file:
        rng = random.Random(2)
        for _ in range(60):
            data = bytes(rng.choice([b"the ", b" ", b"\n", b"\xff", b"\xc3", b"\xa9", b"a", bytes([rng.randrange(256)])])[0] for _ in range(rng.randrange(1, 9)))
            data = b"".join(rng.choice([b"the ", b" times", b"\n", b"\xff", b"\xc3\xa9", b"\xe4\xb8"]) for _ in range(2)) + data
            file.write(json.dumps({"bytes_hex": data.hex(), "ids": encoding._encode_bytes(data)}) + "\n")
    tekken(ranks, pattern, encoding)


def tekken(ranks, pattern, encoding):
    """What mistral_common does with such a file, spelled out: ids are ranks behind the special tokens."""
    specials = 20
    vocab = [{"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": None} for token, rank in sorted(ranks.items(), key=lambda i: i[1])]
    written = {"config": {"pattern": pattern, "num_vocab_tokens": len(vocab), "default_vocab_size": specials + len(vocab) - 10,
                          "default_num_special_tokens": specials, "version": "v7"},
               "special_tokens": [{"rank": at, "token_str": text, "is_control": True} for at, text in enumerate(["<unk>", "<s>", "</s>", "[INST]"])],
               "vocab": vocab}
    with open(os.path.join(folder("tekken"), "tekken.json"), "w", encoding="utf-8") as file:
        json.dump(written, file, separators=(",", ":"))
        file.write("\n")
    used = {token: rank for token, rank in ranks.items() if rank < len(vocab) - 10}
    small = tiktoken.Encoding("t", pat_str=pattern, mergeable_ranks=used, special_tokens={})
    rows = [{"text": text, "ids": [i + specials for i in small.encode(text)], "decoded": text, "special": special, "add_special_tokens": False}
            for text in ALL for special in ("parse", "none")]
    write_golden("tekken", rows)


def main():
    blobs = dict(sentencepiece_models())
    proto = sentencepiece.SentencePieceProcessor(model_proto=blobs["sp-bpe-plain"]).serialized_model_proto()
    unigram(charsmap_of(proto))
    llama_legacy()
    gemma()
    metaspace()
    spaces()
    tiktoken_files()


def charsmap_of(proto):
    """precompiled_charsmap: field 2 of normalizer_spec, field 3 of the model."""
    def fields(data):
        at = 0
        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(data):
            tag = varint()
            if tag & 7 == 0:
                yield tag >> 3, varint()
            else:
                size = varint() if tag & 7 == 2 else {1: 8, 5: 4}[tag & 7]
                yield tag >> 3, data[at:at + size]
                at += size
    return next(v for n, v in fields(next(v for n, v in fields(proto) if n == 3)) if n == 2)


if __name__ == "__main__":
    main()
