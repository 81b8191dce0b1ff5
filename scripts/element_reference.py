# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pads, properties, enumerations and signals of an element in Markdown, from docs/interface.json."""
import json
import pathlib

INTERFACE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "interface.json"
ELEMENTS = json.loads(INTERFACE.read_text(encoding="utf-8"))["elements"]
SHARED = ("backend", "cuda-device-id", "n-threads", "active-backend", "stats", "qos")
TYPES = {"gboolean": "boolean", "gchararray": "string", "gint": "integer", "guint": "unsigned integer",
         "gint64": "integer, 64 bits", "guint64": "unsigned integer, 64 bits", "gdouble": "real", "gfloat": "real, 32 bits",
         "GstStructure": "structure", "GstValueArray": "array"}
CHANGES = {"mutable-playing": "at any time", "mutable-paused": "NULL to PAUSED", "mutable-ready": "NULL, READY"}


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def table(header, rows):
    return "\n".join(["| " + " | ".join(header) + " |", "|---" * len(header) + "|",
                      *("| " + " | ".join(row) + " |" for row in rows)]) + "\n\n"


def pads(element):
    text = ""
    for name, pad in element["pads"].items():
        text += f"**`{name}`**: a {pad['direction']} pad, {'always there' if pad['presence'] == 'always' else 'on request'}.\n\n"
        alike = {}
        for caps in pad["caps"]:
            memory = caps["memory"].removeprefix("memory:").replace("CUDAMemory", "CUDA memory") \
                .replace("SystemMemory", "system memory") \
               .replace("format:Interlaced", "system memory, a field in each buffer")
            alike.setdefault(json.dumps([caps["media"], caps["fields"]]), []).append(memory)
        for key, memories in alike.items():
            media, fields = json.loads(key)
            rows = [[f"`{field}`", ", ".join(f"`{value}`" for value in values) if isinstance(values, list) else f"`{values}`"]
                    for field, values in fields.items()]
            text += table([f"`{media}`", "; ".join(memories)], rows)
    return text


def properties(names, element):
    rows, values = [], ""
    for name in names:
        item = element["properties"][name]
        kind = TYPES.get(item["type"], f"[`{item['type']}`](#{item['type'].lower()})" if "values" in item else
                         f"`{item['type']}`")
        if "range" in item:
            kind += f", {item['range'][0]} to {item['range'][1]}"
        changes = "read-only"
        if "writable" in item["flags"]:
            changes = next((text for flag, text in CHANGES.items() if flag in item["flags"]), "NULL, READY")
            changes += ", controllable" if "controllable" in item["flags"] else ""
        default = item.get("default", "")
        rows.append([f"`{name}`", kind, "" if item["type"] == "GstStructure" or default == "" else f"`{cell(default)}`", changes,
                     cell(item.get("meaning", "GStreamer's: whether late frames are dropped"))])
        if "values" in item and f"### {item['type']}\n" not in values:
            values += f"### {item['type']}\n\n" + table(
                ["value", "number", "meaning"],
                [[f"`{nick}`", str(number), cell(meaning)] for nick, (number, meaning) in item["values"].items()])
    return table(["property", "type", "default", "may change", "meaning"], rows) + values


def of_element(name):
    element = ELEMENTS[name]
    text = f"\n## Reference\n\n*{element['long-name']}.* {element['description']}. Class `{element['klass']}`, " \
           f"rank {element['rank']}. Made from GStreamer's registry.\n\n### Pads\n\n{pads(element)}### All properties\n\n"
    own = [name for name in element["properties"] if name not in SHARED]
    if own:
        text += properties(own, element)
    text += "The [properties of every element](properties.md#reference) are on their page.\n"
    if element["signals"]:
        text += "\n### Signals\n\n" + table(["signal", "returns", "parameters"], [
            [f"`{signal}`", types[0], ", ".join(types[1:])] for signal, types in element["signals"].items()])
    return text


def shared():
    """What every element has, with the defaults of the first; qos is not of all."""
    return "\n## Reference\n\nMade from GStreamer's registry.\n\n" + properties(SHARED[:-1], ELEMENTS["convolve"])


def addition(page):
    """What the site adds to a page of docs/."""
    if page == "properties":
        return shared()
    return of_element(page) if page in ELEMENTS else ""
