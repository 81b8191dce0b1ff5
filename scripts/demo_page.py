# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of ./run demo: plain HTML that refers to the pictures beside it."""

import html
import math
import os
import pathlib
import platform
import re
import subprocess

STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #fff; --box: #f3f5f7;
        --line: #d0d7de; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9aa4ae; --back: #11151a; --box: #1a2028; --line: #313b46; }
}
body { margin: 0 auto; max-width: 1340px; padding: 1rem 1.5rem 4rem; color: var(--text);
       background: var(--back); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin-bottom: 0; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
p { max-width: 46rem; } .soft, figcaption { color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: 1.2rem; }
figure { margin: 0; flex: 0 1 auto; max-width: 100%; }
figcaption { font-size: .9rem; max-width: 40rem; overflow-wrap: anywhere; }
figcaption a { color: inherit; }
.two figure { width: calc(50% - .6rem); } .three figure { width: calc(33.3% - .8rem); }
@media (max-width: 800px) { .two figure, .three figure { width: 100%; } }
.picture { position: relative; display: block; line-height: 0; }
.picture img, video { display: block; width: 100%; height: auto; background: var(--box); }
.magnified img { image-rendering: pixelated; }
label.picture { cursor: pointer; }
.picture input { position: absolute; opacity: 0; }
.picture input:focus-visible + img { outline: 3px solid; }
.picture img + img { position: absolute; inset: 0; opacity: 0; }
.picture input:checked ~ img + img { opacity: 1; }
@media (hover: hover) { .picture:hover img + img { opacity: 1; } }
.scale { margin: 1rem .5rem; max-width: 30rem; font-size: .9rem; color: var(--soft); }
.scale i { display: block; height: 1rem; border: 1px solid var(--line);
           background: linear-gradient(to right, #000, #f00, #ff0, #fff); }
.scale span { display: flex; justify-content: space-between; }
.scale b { width: 0; display: flex; justify-content: center; font-weight: 400; white-space: nowrap; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: right; }
th { max-width: 14rem; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
pre { padding: .8rem; background: var(--box); overflow-x: auto; font-size: .8rem; }
"""


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def decibel(value):
    return "identical" if value == math.inf else f"{value:.2f} dB"


class Section:
    """Texts, groups of pictures and tables in the order in which they were added."""

    def __init__(self, title):
        self.title, self.commands, self.items = title, [], []

    def text(self, text):
        self.items.append(f"<p>{html.escape(text)}</p>")

    def group(self, columns):
        """The figures that follow are shown in rows of two or three."""
        self.items.append((columns, []))

    def figure(self, file, size, caption, alt, other=None, magnified=False):
        """alt says what the picture shows; other is a picture in its place and what that one shows.

        The pixels of a magnified picture stay sharp where the browser scales it.
        """
        groups = [item[1] for item in self.items if isinstance(item, tuple)]
        groups[-1].append(figure_html(file, size, caption, alt, other, magnified))

    def scale(self, numbers):
        """The colours of an error map: evenly spaced numbers from black to white."""
        marks = "".join(f"<b>{html.escape(number)}</b>" for number in numbers)
        self.items.append(f'<div class="scale"><i></i><span>{marks}</span></div>')

    def table(self, head, rows):
        self.items.append(table_html(head, rows))

    def html(self):
        parts = [f"<h2>{html.escape(self.title)}</h2>"]
        for item in self.items:
            if isinstance(item, str):
                parts.append(item)
            elif item[1]:
                parts += [f'<div class="figures {item[0]}">', *item[1], "</div>"]
        if self.commands:
            lines = "\n\n".join(map(html.escape, self.commands))
            parts.append(f"<details><summary>Pipelines</summary><pre>{lines}</pre></details>")
        return "\n".join(parts)


def figure_html(file, size, caption, alt, other, magnified):
    width, height = size
    if file.endswith(".webm"):
        picture = (f'<video src="{file}" width="{width}" height="{height}"'
                   f' aria-label="{html.escape(alt)}" autoplay loop muted controls></video>')
    else:
        images = "".join(
            f'<img src="{name}" width="{width}" height="{height}" alt="{html.escape(text)}">'
            for name, text in [(file, alt)] + ([other] if other else []))
        # The page enlarges a small picture, so its pixels stay sharp, too.
        style = "picture magnified" if magnified or width <= 160 else "picture"
        # A box that a tap, a click or the space bar checks; no script.
        box = f'<input type="checkbox" aria-label="{html.escape(other[1])}">' if other else ""
        tag = "label" if other else "div"
        picture = f'<{tag} class="{style}">{box}{images}</{tag}>'
    return (f'<figure>{picture}<figcaption><a href="{file}">{html.escape(caption)}</a></figcaption>'
            "</figure>")


def table_html(head, rows):
    def row(cells, tag):
        columns = (f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells)
        return f"<tr>{''.join(columns)}</tr>"
    return "<table>" + row(head, "th") + "".join(row(cells, "td") for cells in rows) + "</table>"


def machine():
    """The processor, its cores, and GStreamer's version."""
    try:
        cpuinfo = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        cpuinfo = ""
    name = re.search(r"^model name\s*: (.*)", cpuinfo, re.M)
    version = subprocess.run(["gst-launch-1.0", "--version"], stdout=subprocess.PIPE, text=True,
                             check=False).stdout
    gstreamer = re.search(r"GStreamer \S+", version)
    cores = len(os.sched_getaffinity(0))
    return ", ".join((name[1] if name else platform.machine(),
                      f"{cores} core" + ("s" if cores > 1 else ""),
                      gstreamer[0] if gstreamer else "GStreamer"))


def render(subject, setting, sections):
    body = "\n".join(section.html() for section in sections)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gst-coalesce: demo</title>
<style>{STYLE}</style>
</head>
<body>
<h1>gst-coalesce: demo</h1>
<p class="soft">{html.escape(subject)}<br>{html.escape(machine())}</p>
<p>A caption opens its picture in full size. The pipelines require:</p>
<pre>{html.escape(setting)}</pre>
{body}
</body>
</html>
"""
