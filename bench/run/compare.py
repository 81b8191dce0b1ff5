# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two files of figures: what has changed, and what is noise."""

import json

from figures import LEAST_CHANGE, spread_of, verdict

LISTS = {'rows': 'kernel', 'elements': 'element', 'pipelines': 'pipeline', 'commands': 'command'}
SAME = ('gpu', 'cpu', 'processors')  # of one machine
NAMED = ('driver', 'cuda', 'nvcc', 'governor', 'kernel', 'build', 'compilers', 'libraries', 'versions', 'picture')
KEYS = ('operation', 'format', 'setting', 'width', 'height', 'memory')

RULE = ('A change: the medians differ by more than {:.0%}, and the boxes from first to third quartile do not overlap. '
        'All else is noise.')
DISTURBED = 0.02  # a part of the processors


def read(path):
    try:
        document = json.loads(path.read_text(encoding='utf-8'))
        for key, of_way in entries(document).items():
            for row in of_way.values():
                title_of(key), spread_of(row, key[-1])
        document['date'], document['commit'][:10]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f'{path} is no file of ./run bench --json') from error
    if not any(document.get(name) for name in LISTS):
        raise ValueError(f'{path} has no figures')
    return document


def quantities(row):
    """The times of a row: names of their fields, and whose they are."""
    for name, value in row.items():
        if name.endswith('_us') and isinstance(value, (int, float)) and value > 0 and not name.startswith(('memcpy', 'copy_kernel')):
            yield name, {'ours': 'coalesce', 'peer': row.get('peer', 'peer'), 'copy': 'copy'}[name.split('_')[0]]


def entries(document):
    """By layer, row, whose it is and which time: the rows, by the peer that was measured by turns with it."""
    found = {}
    for name, layer in LISTS.items():
        for row in document.get(name, ()):
            # A file of before has its peer in the setting, too.
            setting = row['setting'].split(', beside ')[0]
            key = (layer, *(setting if field == 'setting' else row.get(field) for field in KEYS))
            for quantity, who in quantities(row):
                found.setdefault((*key, who, quantity), {})[row.get('peer')] = row
    return found


def least_change(old, new):
    """Larger where other processes ran: twice the part of the processors that they used."""
    return max(LEAST_CHANGE, *(2 * document.get('others_cpu', 0) for document in (old, new)))


def changes(old, new):
    """(key, old time, new time, verdict) of all that both files have."""
    before, least = entries(old), least_change(old, new)
    for key, rows in entries(new).items():
        seen = set()
        for peer, row in rows.items():
            if key not in before:
                break
            other = before[key].get(peer) or next(iter(before[key].values()))
            pair = (other[key[-1]], row[key[-1]])
            if pair not in seen:  # our figures are in the row of each peer
                seen.add(pair)
                yield key, *pair, verdict(other, row, key[-1], least)


def machines_differ(old, new):
    return [f'{name}: {old.get(name)}; {new.get(name)}' for name in SAME if old.get(name) != new.get(name)]


def title_of(key):
    layer, operation, form, setting, width, height, _, who, quantity = key
    which = {'us': '', 'alone_us': ', alone', 'latency_us': ', latency', 'push_us': ', push'}[quantity.split('_', 1)[1]]
    parts = (layer, operation, form, setting, f'{width}x{height}')
    return ' '.join(part for part in parts if part), who + which


def report(old, new, arguments, say):
    """Prints the comparison. 0: nothing of ours is slower; 1: something is; 3: of different machines."""
    differ = machines_differ(old, new)
    if differ:
        say('These are figures of different machines, which no ratio turns into a change:')
        for line in differ:
            say(f'  {line}')
        if not arguments.anyway:
            return 3
    for name in NAMED:
        if old.get(name) != new.get(name):
            say(f'differs: {name}: {old.get(name)}; {new.get(name)}')
    say(f"{old['date']}, commit {old['commit'][:10]}, beside {new['date']}, commit {new['commit'][:10]}. "
        + RULE.format(least_change(old, new)))
    for document, which in (old, 'first'), (new, 'second'):
        if document.get('others_cpu', 0) > DISTURBED:
            say(f"Other processes used {document['others_cpu']:.0%} of the processors during the {which} run.")
    found = sorted(changes(old, new), key=lambda change: change[1] / change[2])
    counts = {}
    for key, before, after, verdict_ in found:
        title, who = title_of(key)
        count = counts.setdefault('ours' if who.startswith('coalesce') else 'copies and peers', {'slower': 0, 'faster': 0, 'noise': 0})
        count[verdict_] += 1
        if verdict_ != 'noise' or arguments.all:
            say(f'{verdict_:7} {title:64} {who:28} {before:12,.2f} us {after:12,.2f} us  {after / before:5.2f} times')
    if not found:
        say('The files have no row in common.')
    for who, count in counts.items():
        say(f"{who}: {count['slower']} slower, {count['faster']} faster, {count['noise']} within noise")
    others = counts.get('copies and peers', {})
    if others and others['slower'] + others['faster'] > others['noise']:
        say("Most copies and peers have changed, too, which are not this project's: the machine has.")
    if differ:
        return 3
    return 1 if counts.get('ours', {}).get('slower') else 0
