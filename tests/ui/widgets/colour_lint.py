# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours live in resources/themes/*.json: no hexadecimal or named colour anywhere in ui/."""

import re
import sys
from pathlib import Path

HEX = re.compile(r"#[0-9A-Fa-f]{6,8}\b|#[0-9A-Fa-f]{3}\b(?=[\"'; ])")
NAMED = re.compile(
    r"Qt::(white|black|red|green|blue|yellow|cyan|magenta|gray|dark\w+|lightGray)\b"
    r"|QColor\(\s*\d|qRgb|QColorConstants")


def problems_in(text):
    lines = enumerate(text.splitlines(), 1)
    return [n for n, line in lines if HEX.search(line) or NAMED.search(line)]


def main():
    root = Path(sys.argv[1])
    assert problems_in('x = QColor("#14181E");') == [1], "the check must see a planted colour"
    assert problems_in("painter.setPen(Qt::red);") == [1]
    paths = [p for p in (root / "ui").rglob("*") if p.suffix in (".h", ".cpp", ".qss")]
    paths.append(root / "resources/themes/workbench.qss")
    bad = [f"{p.relative_to(root)}:{n}: a colour that is no token"
           for p in paths for n in problems_in(p.read_text())]
    print("\n".join(bad), f"{len(paths)} files, {len(bad)} problems", sep="\n")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
