#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks Markdown pages: links and anchors, sentences of more than 25 words, words to avoid, texts of errors.

usage: check-pages.py [--links-only] [FILE...]

Without a FILE it checks every page of the repository. Pages in docs/lab/ are a diary, so only
their links are checked. Code blocks are skipped; cells of tables and items of lists are checked.
The first column of a table whose header begins with "| message |" has texts of the sources, "…" being what differs.
Exits with 1 if it reports anything.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_WORDS = 25

AVOID = [
    (r"\bstands?\b|\bstood\b(?! in)", "say what it is or does"),
    (r"\b(?:is|are|be|been|was|were|being) told\b|\btells?\b|\btold\b", "report, say"),
    (r"\b(?:is|are|was|were|be) asked (?:of|for)\b", "require, request"),
    (r"\bbehind\b", "after"),
    (r"\bwhat\b[^.,;:()]{0,60}\b(?:takes?|took)\b", "name the quantity: the time of, the size of"),
    (r"\bas you like\b|\bto be had\b|\bwhoever\b|\bwithout a word\b", "the field's words"),
]
# Words with a point in them that ends no sentence.
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|Fig|No|approx)\.")
LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")


def blocks(text):
    """Yields (line number, text) of each paragraph, list item, heading and table cell."""
    start, lines, fence = 0, [], None
    for number, line in enumerate(text.split("\n") + [""], 1):
        stripped = line.strip()
        mark = re.match(r"(```+|~~~+)", stripped)
        if fence:
            if mark and stripped.startswith(fence):
                fence = None
            continue
        is_code = line.startswith("    ") and not lines
        is_item = re.match(r"([-*+]|\d+\.)\s", stripped)
        alone = stripped.startswith(("#", "|", ">", "<!--"))
        if lines and (not stripped or mark or is_item or alone):
            yield start, " ".join(lines)
            lines = []
        if mark:
            fence = mark.group(1)
        elif is_code or not stripped or stripped.startswith(("<!--", ">")):  # a quotation keeps its words
            continue
        elif stripped.startswith("|"):
            for cell in re.split(r"(?<!\\)\|", stripped.strip("|")):
                if cell.strip(" :-"):
                    yield number, cell.strip()
        elif stripped.startswith("#"):
            yield number, stripped.lstrip("# ")
        else:
            if not lines:
                start = number
            lines.append(re.sub(r"^([-*+]|\d+\.)\s+", "", stripped) if is_item else stripped)


def plain(text):
    """Without markup: a link is its text, a piece of code is one word."""
    while True:
        shorter = LINK.sub(lambda match: match.group(1), text)
        if shorter == text:
            break
        text = shorter
    text = re.sub(r"`+[^`]*`+", "Code", text)
    text = re.sub(r"https?://\S+", "Address", text)
    return re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", text)


def sentences(text):
    text = ABBREVIATIONS.sub(lambda match: match.group(0).replace(".", ""), text)
    return [part for part in re.split(r"(?<=[.!?])[)\"']*\s+(?=[^a-z])|[.:]\s*$", text)
            if part and part.strip()]


def words(sentence):
    """Words and numbers; a variable of a formula (one letter) is none."""
    tokens = re.findall(r"[^\s,;:()\[\]{}|/=·×→–—+−<>≤≥-]+", sentence)
    return [token for token in tokens
            if re.search(r"[^\W\d_]{2}|\d", token) or token in ("a", "A", "I")]


def anchors(path):
    found, seen = set(), {}
    text = re.sub(r"(?ms)^(```+|~~~+).*?^\1", "", path.read_text(encoding="utf-8"))
    for heading in re.findall(r"(?m)^#+\s+(.*)$", text):
        name = re.sub(r"[^\w\- ]", "", LINK.sub(lambda m: m.group(1), heading).lower())
        name = name.strip().replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        found.add(name if not count else f"{name}-{count}")
    return found | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))


def check_links(path, text, complain):
    text = re.sub(r"(?ms)^(```+|~~~+).*?^\1", lambda m: "\n" * m.group(0).count("\n"), text)
    text = re.sub(r"`[^`\n]*`", "", text)
    for match in re.finditer(r"\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)", text):
        target = match.group(1)
        if re.match(r"[a-z]+:", target):
            continue
        line = text.count("\n", 0, match.start()) + 1
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        if not other.exists():
            complain(line, f"no such file: {target}")
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            complain(line, f"no such heading: {target}")


def check_prose(text, complain):
    for line, block in blocks(text):
        readable = plain(block)
        for pattern, advice in AVOID:
            for match in re.finditer(pattern, readable, re.IGNORECASE):
                complain(line, f"\"{match.group(0)}\" ({advice})")
        for sentence in sentences(readable):
            count = len(words(sentence))
            if count > MAX_WORDS:
                complain(line, f"{count} words: {sentence.strip()[:90]}")


def literals():
    """The texts of the sources, one a line; a literal in several pieces is one."""
    texts = []
    for path in [*ROOT.glob("gst/**/*.cpp"), *ROOT.glob("gst/**/*.h"), *ROOT.glob("kernels/**/*.cpp"),
                 *ROOT.glob("kernels/**/*.cu")]:
        source = re.sub(r'(?m)(?<!\\)"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
        texts += re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)
    return "\n".join(texts).replace('\\"', '"')


def check_messages(text, complain):
    tables = list(re.finditer(r"(?m)^\| message \|.*\n\|[-| ]+\n((?:\|.*\n)+)", text))
    known = literals() if tables else ""
    for table in tables:
        for number, row in enumerate(table.group(1).splitlines()):
            line = text.count("\n", 0, table.start(1)) + 1 + number
            for message in re.findall(r"`([^`]+)`", row.split(" | ")[0]):
                for piece in message.split("…"):
                    if piece.strip() not in known:
                        complain(line, f"no text of the sources has: {piece.strip()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--links-only", action="store_true", help="check no prose")
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    files = arguments.files or sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"),
                                       *ROOT.glob("tests/**/*.md"), *ROOT.glob("bench/**/*.md"),
                                       *ROOT.glob("fleet/**/*.md")])
    findings = 0
    for path in files:
        path = path.resolve()
        text = path.read_text(encoding="utf-8")
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path

        def complain(line, what):
            nonlocal findings
            findings += 1
            print(f"{shown}:{line}: {what}")

        check_links(path, text, complain)
        if not arguments.links_only and "lab" not in shown.parts:
            check_prose(text, complain)
            check_messages(text, complain)
    print(f"{len(files)} pages, {findings} findings")
    return 1 if findings or not files else 0


if __name__ == "__main__":
    sys.exit(main())
