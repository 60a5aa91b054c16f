"""The lowest places of addresses: none is lost or left in two shares, however they come."""

import itertools
import random
from collections import Counter

import pytest

pa = pytest.importorskip("pyarrow")

ADDRESSES = ["::", "5.1.1.1", "255.255.255.255", "fe80::1%eth0", *(f"2a00:{n:x}::{n % 7}" for n in range(300))]


@pytest.fixture
def lowest(machine):
    from sonde.spark import lowest

    return lowest


def pairs(chooser, count):
    """Addresses with places, as many a batch as come, some of which are parts of larger ones."""
    places = chooser.sample(range(10 * count), count)
    rows = [(chooser.choice(ADDRESSES), place) for place in places]
    ends = sorted(chooser.choices(range(count + 1), k=9))
    bounds = [0, *ends, count]
    ips, at = pa.array([ip for ip, _ in rows]), pa.array(places, pa.int64())
    whole = pa.record_batch([ips, at], names=["ip", "at"])
    return rows, [whole.slice(start, end - start) for start, end in itertools.pairwise(bounds)]


def tuples(batches):
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("most", [1, 50, 1 << 20])
@pytest.mark.parametrize("shares", [1, 7, 4096])
def test_what_is_packed_is_what_comes_out_each_address_in_one_share(lowest, monkeypatch, most, shares):
    monkeypatch.setattr(lowest, "_PACKED", most)
    monkeypatch.setattr(lowest, "_OF_EACH", 0)
    monkeypatch.setattr(lowest, "_VALUE", max(1, most // 7))
    rows, batches = pairs(random.Random(most + shares), 2000)
    packed = list(lowest.packed(batches, shares))
    assert Counter(tuples(lowest.unpacked(packed))) == Counter(rows)
    share_of = {}
    for batch in packed:
        for row in range(batch.num_rows):
            share = batch.column(0)[row].as_py()
            assert 0 <= share < shares
            inside = tuples(lowest.unpacked([batch.slice(row, 1)]))
            assert 0 < len(inside) <= max(1, most // 7)
            for ip, _ in inside:
                assert share_of.setdefault(ip, share) == share
    # As even as it must be for tasks to have as much to do as one another.
    assert len(set(share_of.values())) >= min(shares, len(ADDRESSES)) / 2


@pytest.mark.parametrize("most", [1, 50, 1 << 20])
def test_each_address_is_once_with_its_lowest_place(lowest, monkeypatch, most):
    monkeypatch.setattr(lowest, "_MOST", most)
    rows, batches = pairs(random.Random(most), 2000)
    wanted = {}
    for ip, place in rows:
        wanted[ip] = min(place, wanted.get(ip, place))
    found = tuples(lowest.lowest(batches))
    assert len(found) == len(wanted) and dict(found) == wanted
    twice = lowest.unpacked([*lowest.packed(batches, 3), *lowest.packed(batches[::-1], 3)])
    assert dict(tuples(lowest.lowest(twice))) == wanted


def test_nothing_is_nothing(lowest):
    empty = pa.record_batch([pa.array([], pa.string()), pa.array([], pa.int64())], names=["ip", "at"])
    for batches in ([], [empty], [empty, empty]):
        assert tuples(lowest.lowest(batches)) == tuples(lowest.packed(batches, 4)) == []
        assert tuples(lowest.lowest(lowest.unpacked(lowest.packed(batches, 4)))) == []
