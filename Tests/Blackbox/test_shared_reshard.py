"""`--shared` with a cluster that is changed while many processes ask: slots that move, nodes that fail."""

import itertools

import pytest
from expected import differences, record
from redis_cluster import cluster_of

pytestmark = pytest.mark.slow

# As many for each of the processes.
SHARE = 300
PROCESSES = 6
ADDRESSES = [f"5.{n // 250}.{n % 250}.29" for n in range(PROCESSES * SHARE)]
# Long enough for all that is done to the cluster, and the minute that is waited for after it.
PATIENCE = 240


class Crowd:
    """Scans of lists of their own, each as on a machine of its own."""

    def __init__(self, sonde, simulator):
        self.sonde, self.simulator = sonde, simulator

    def start(self, addresses, url, *more):
        """Starts a scan."""
        number = self.sonde.runs
        name = self.sonde.file(f"list-{number}.txt", "\n".join(addresses) + "\n")
        home = self.sonde.work / f"home-{number}"
        own = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "c"), "XDG_STATE_HOME": str(home / "s")}
        arguments = ["scan", name, "--provider", "ip-api", "--shared", url, "--offline-timeout", "2m", *more]
        return self.sonde.start(*arguments, env={**self.simulator.env, **own})

    def start_all(self, urls):
        """Starts all of them, by the nodes in turn, and waits until they have begun to ask."""
        shares = [ADDRESSES[n * SHARE :][:SHARE] for n in range(PROCESSES)]
        return [(self.start(share, url), share) for share, url in zip(shares, itertools.cycle(urls))]

    def finish(self, scans):
        """Each has all its records, and nothing was asked twice or in vain."""
        losses = 0
        for scan, share in scans:
            result = scan.finish(timeout=PATIENCE)
            right(result, share)
            losses += "network is back" in result.stderr
        counts = self.simulator.counts()
        assert counts["throttled"] == 0 and set(self.simulator.addresses().values()) == {1}
        assert counts["items"] == len(ADDRESSES)
        return losses


def right(result, addresses):
    """A scan has ended well, with each record."""
    wanted = [record(address, line=n) for n, address in enumerate(addresses, 1)]
    assert differences(result.records, wanted, cached=(True, False)) == []
    assert result.status == 0, result.stderr


def has_met(scan, words):
    """Whether a scan has said something, or had ended before it could."""
    return words in scan.stderr or scan.process.poll() is not None


@pytest.fixture
def crowd(sonde, simulator):
    simulator.control(window=2, batch_limit=4)
    return Crowd(sonde, simulator)


def test_keys_that_move_one_by_one_stop_a_crowd_and_no_more(crowd, simulator, tmp_path):
    """While they move, no script has all its keys in one place; a scan that begins then waits as well."""
    with cluster_of(tmp_path, 3) as cluster:
        first, second, third = nodes = cluster.from_holder()
        scans = crowd.start_all([node.url for node in nodes])
        cluster.wait_until(lambda: simulator.counts()["total"] >= 6)
        cluster.move(first, second, pause=0.005)
        asked = simulator.counts()["total"]
        cluster.move(second, third, pause=0.005)
        late = crowd.start(ADDRESSES[:SHARE], first.url)
        right(late.finish(timeout=PATIENCE), ADDRESSES[:SHARE])
        assert crowd.finish(scans) > 0
        # Also what was under way when the keys began to move has been kept.
        assert asked <= 8 < simulator.counts()["total"] == PROCESSES * SHARE // 100
        # But for scans that had nothing left to ask then, and have not waited to keep the last answers.
        kept = [address for scan, share in scans if "network is back" in scan.stderr for address in share]
        right(crowd.start(kept, first.url).finish(timeout=PATIENCE), kept)
        assert simulator.counts()["total"] == PROCESSES * SHARE // 100


def test_a_replica_takes_over_from_a_node_that_was_killed(crowd, simulator, tmp_path):
    """It knows no script; until then the cluster is down; the killed one returns as a replica."""
    with cluster_of(tmp_path, 3, replicas=3) as cluster:
        holder, *others = cluster.from_holder()
        successor = cluster.replicas[cluster.nodes.index(holder)]
        scans = crowd.start_all([node.url for node in (holder, *others)])
        cluster.wait_until(lambda: simulator.counts()["total"] >= 6)
        holder.kill()
        cluster.wait_until(lambda: b"role:master" in successor.ask("INFO", "replication"))
        holder.start()
        assert crowd.finish(scans) > 0


def test_a_slot_that_nobody_serves_is_waited_for(crowd, simulator, tmp_path):
    """`CLUSTERDOWN`, and scripts that the server has forgotten meanwhile."""
    with cluster_of(tmp_path, 3) as cluster:
        holder, *others = cluster.from_holder()
        scans = crowd.start_all([node.url for node in (*others, holder)])
        cluster.wait_until(lambda: simulator.counts()["total"] >= 6)
        slot = cluster.slot
        for node in cluster.nodes:
            assert node.ask("CLUSTER", "DELSLOTS", slot) == b"+OK\r\n"
        assert holder.ask("GET", "{sonde}:salt").startswith(b"-CLUSTERDOWN")
        cluster.wait_until(lambda: all(has_met(scan, "CLUSTERDOWN") for scan, _ in scans))
        assert holder.ask("SCRIPT", "FLUSH") == b"+OK\r\n"
        assert holder.ask("CLUSTER", "ADDSLOTS", slot) == b"+OK\r\n"
        assert crowd.finish(scans) > 0
