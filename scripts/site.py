#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the documentation site in build-docs/site/. A broken link, or a page that no menu has, is an error.

usage: site.py

The pages are the Markdown files of the repository, as GitHub shows them. For the site they are copied to
build-docs/pages/ with other links: a page links to a page, and to a source file's copy. An element's page gets its
pads, properties and enumerations (element_reference.py), and Doxygen, where it is installed, makes a reference of the
kernel library's headers. MkDocs Material is installed in build-docs/venv/, as docs/site/requirements.txt pins it. Exits with 77 where it cannot be installed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import element_reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-docs"
PAGES = BUILD / "pages"
CONFIGURATION = ROOT / "docs" / "site" / "mkdocs.yml"
REQUIREMENTS = ROOT / "docs" / "site" / "requirements.txt"
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"(?ms)^(```+).*?^\1$")
ITEM = re.compile(r" *([-*]|\d+\.) ")
NOT_RUN = re.compile(r"<!-- not run: (.*?) -->\n")


def place(path):
    """Where the site has a file of the repository, below pages/."""
    name = path.relative_to(ROOT).as_posix()
    if name == "README.md":
        return "index.md"
    if name.startswith("docs/"):
        return re.sub(r"README\.md$", "index.md", name.removeprefix("docs/"))
    if path.suffix == ".md" and path.parent == ROOT:
        return path.name.lower()
    if path.suffix == ".md":
        return "source/" + re.sub(r"README\.md$", "index.md", name)
    return "source/" + name + ".txt"


class Site:
    """The pages, and what they link to."""

    def __init__(self):
        self.waiting, self.placed = [], set()

    def add(self, path):
        if path not in self.placed:
            self.placed.add(path)
            self.waiting.append(path)

    def link(self, page, match):
        image, text, target = match.groups()
        name, hash_mark, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not name:
            return match.group(0)
        path = (page.parent / name).resolve()
        if path.is_dir():
            path = path / "README.md"
            if not path.exists():
                return text
        if not path.is_file():
            sys.exit(f"{page.relative_to(ROOT)}: no such file: {target}")
        self.add(path)
        way = os.path.relpath(place(path), os.path.dirname(place(page)))
        return f"{image}[{self.links(page, text)}]({way}{hash_mark}{anchor})"

    def links(self, page, text):
        # Code is left alone.
        parts = re.split(r"(`+[^`]*`+)(?!\])", text) if "](" in text else [text]
        if len(parts) == 1:
            return LINK.sub(lambda match: self.link(page, match), text)
        # A link's text may have code: so code is taken out, not split off.
        codes = []

        def keep(match):
            codes.append(match.group(0))
            return f"\x00{len(codes) - 1}\x00"
        text = re.sub(r"`+[^`\n]+`+", keep, text)
        text = LINK.sub(lambda match: self.link(page, match), text)
        while "\x00" in text:
            text = re.sub(r"\x00(\d+)\x00", lambda match: codes[int(match.group(1))], text)
        return text

    def prose(self, page, text):
        lines = []
        for line in text.split("\n"):
            item = ITEM.match(line)
            if item and lines and lines[-1].strip() and not ITEM.match(lines[-1]) and \
                    not lines[-1].startswith(" ") and not line.startswith(" "):
                lines.append("")  # GitHub needs no empty line before a list
            if item or (line.startswith("  ") and line.strip()):
                indent = len(line) - len(line.lstrip())
                line = " " * (indent * 2 if indent < 4 else indent) + line.lstrip()
            if line.startswith("|"):  # GitHub needs a backslash before a bar in code
                line = re.sub(r"`[^`]*`", lambda match: match.group(0).replace("\\|", "|"), line)
            lines.append(line)
        text = NOT_RUN.sub(r"*Not run by the tests; it requires \1:*\n\n", "\n".join(lines))
        return self.links(page, text)

    def page(self, path):
        text, result, end = path.read_text(encoding="utf-8"), "", 0
        for fence in FENCE.finditer(text):
            result += self.prose(path, text[end:fence.start()]) + fence.group(0)
            end = fence.end()
        result += self.prose(path, text[end:])
        if path == ROOT / "docs" / "library.md":
            return result + headers_reference()
        return result + (element_reference.addition(path.stem) if path.parent == ROOT / "docs" else "")

    def make(self):
        while self.waiting:
            path = self.waiting.pop()
            target = PAGES / place(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                target.write_text(self.page(path), encoding="utf-8")
            else:
                shutil.copyfile(path, target)


def headers_reference():
    """Doxygen's pages of the public headers, and a list of them."""
    if shutil.which("doxygen") is None:
        print("Doxygen is not installed: the site has no reference of the headers")
        return ""
    headers = BUILD / "headers" / "coalesce"
    headers.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, ROOT / "kernels" / "public" / "public_headers.py", headers], check=True)
    subprocess.run(["doxygen", ROOT / "docs" / "site" / "Doxyfile"], cwd=ROOT, check=True)
    pages = [f"[`{header.name}`](reference/{header.name.replace('.', '_8')}.html)" for header in sorted(headers.iterdir())]
    return "\n## Reference\n\nMade from the installed headers by Doxygen: " + ", ".join(pages) + \
        ", and [all names](reference/globals.html).\n"


def install():
    venv, installed = BUILD / "venv", BUILD / "venv" / "requirements.txt"
    if installed.exists() and installed.read_bytes() == REQUIREMENTS.read_bytes():
        return venv / "bin" / "mkdocs"
    shutil.rmtree(venv, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "venv", venv], stdout=subprocess.PIPE, text=True)
    if done.returncode == 0:
        done = subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check",
                               "--requirement", REQUIREMENTS])
    if done.returncode != 0:
        print("skipped: pip cannot install docs/site/requirements.txt")
        sys.exit(77)
    shutil.copyfile(REQUIREMENTS, installed)
    return venv / "bin" / "mkdocs"


def main():
    BUILD.mkdir(exist_ok=True)
    mkdocs = install()
    shutil.rmtree(PAGES, ignore_errors=True)
    site = Site()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("docs/lab/*.md")]:
        site.add(path)
    site.make()
    done = subprocess.run([mkdocs, "build", "--clean", "--strict", "--config-file", CONFIGURATION],
                          env=dict(os.environ, NO_MKDOCS_2_WARNING="1"))
    if done.returncode == 0:
        print(f"the site: {(BUILD / 'site' / 'index.html').relative_to(ROOT)}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
