# SPDX-License-Identifier: LGPL-2.1-or-later
"""Medians and spreads of repetitions, and whether two figures differ by more than noise."""

import statistics

# Two medians that are closer than this part of the older one are never called different: runs differ by as much
# that repeat everything.
LEAST_CHANGE = 0.03


def quartiles(samples):
    """The first one, the median and the third one."""
    if len(samples) < 2:
        return samples[0], samples[0], samples[0]
    return tuple(statistics.quantiles(samples, n=4, method='inclusive'))


def figure(name, samples, scale=1):
    """Fields of a row: the median as `name`, and its quartiles and the number of repetitions."""
    samples = [scale * sample for sample in samples or () if sample is not None]
    if not samples:
        return {}
    low, middle, high = quartiles(samples)
    return {name: rounded(middle), f'{name}_quartiles': [rounded(low), rounded(high)], f'{name}_samples': len(samples)}


def rounded(value):
    return float(f'{value:.5g}')


def percentile(samples, part):
    return rounded(sorted(samples)[min(int(part * len(samples)), len(samples) - 1)])


def spread_of(row, name):
    """The quartiles; the figure itself where a file of before has none."""
    return row.get(f'{name}_quartiles') or [row[name], row[name]]


def verdict(old, new, name, least=LEAST_CHANGE):
    """'faster', 'slower' or 'noise': a change is what moves the median by so large a part, and parts the boxes, which are
    the quartiles, from each other. name: of a time."""
    if 1 / (1 + least) <= new[name] / old[name] <= 1 + least:
        return 'noise'
    (old_low, old_high), (new_low, new_high) = spread_of(old, name), spread_of(new, name)
    if new_low > old_high:
        return 'slower'
    return 'faster' if new_high < old_low else 'noise'
