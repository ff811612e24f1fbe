# SPDX-License-Identifier: GPL-3.0-or-later
"""Translations are whole: every message finished, every %1 of the source in its translation."""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

PLACE = re.compile(r"%(?:L?\d|n)")


def problems_in(root):
    problems = []
    for context in root.findall("context"):
        for message in context.findall("message"):
            source = message.findtext("source")
            translation = message.find("translation")
            if translation.get("type") in ("vanished", "obsolete"):
                continue
            texts = [form.text or "" for form in translation.findall("numerusform")]
            texts = texts or [translation.text or ""]
            where = f"{context.findtext('name')}: {source!r}"
            if translation.get("type") == "unfinished" or not all(texts):
                problems.append(f"{where} is not translated")
            elif any(set(PLACE.findall(source)) != set(PLACE.findall(text)) for text in texts):
                problems.append(f"{where}: placeholders differ")
    return problems


def main():
    planted = ET.fromstring("<TS><context><name>A</name><message><source>%1 of %2</source>"
                            "<translation>%1</translation></message></context></TS>")
    assert problems_in(planted), "the check must see a lost placeholder"
    files = sorted((Path(sys.argv[1]) / "resources/translations").glob("*.ts"))
    bad = [f"{path.name}: {text}" for path in files for text in problems_in(ET.parse(path).getroot())]
    print("\n".join(bad), f"{len(files)} files, {len(bad)} problems", sep="\n")
    sys.exit(bool(bad) or not files)


if __name__ == "__main__":
    main()
