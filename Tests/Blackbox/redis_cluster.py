"""A Redis cluster of a test's own, whose slots can be moved while Sonde asks."""

import contextlib
import time

from ports import free_port
from redis_server import RedisServer

SLOTS = 16384


class RedisCluster:
    """Nodes that share the slots evenly; `replicas` more follow them, in their order."""

    def __init__(self, folder, count, replicas=0):
        options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--cluster-port"]
        ports = [str(free_port()) for _ in range(count + replicas)]
        started = [RedisServer(folder / f"node-{n}", *options, port) for n, port in enumerate(ports)]
        self.nodes, self.replicas = started[:count], started[count:]
        for node in started[1:]:
            assert node.ask("CLUSTER", "MEET", "127.0.0.1", started[0].port, ports[0]) == b"+OK\r\n"
        bounds = [SLOTS * n // count for n in range(count + 1)]
        for node, first, end in zip(self.nodes, bounds, bounds[1:]):
            assert node.ask("CLUSTER", "ADDSLOTSRANGE", first, end - 1) == b"+OK\r\n"
        self.wait_until(lambda: all(b"cluster_state:ok" in node.ask("CLUSTER", "INFO") for node in started))
        for replica, master in zip(self.replicas, self.nodes):
            self.wait_until(lambda: replica.ask("CLUSTER", "REPLICATE", identity(master)) == b"+OK\r\n")
            self.wait_until(lambda: b"master_link_status:up" in replica.ask("INFO", "replication"))

    def close(self):
        """Ends all nodes."""
        for node in (*self.nodes, *self.replicas):
            node.close()

    @property
    def slot(self):
        """The slot of all of Sonde's keys."""
        return int(self.nodes[0].ask("CLUSTER", "KEYSLOT", "{sonde}:salt")[1:])

    @property
    def holder(self):
        """The node that has the slot of Sonde's keys."""
        index = self.slot * len(self.nodes) // SLOTS
        return self.nodes[index]

    def from_holder(self):
        """The nodes, that with Sonde's keys first."""
        index = self.nodes.index(self.holder)
        return self.nodes[index:] + self.nodes[:index]

    def move(self, source, target, pause=None):
        """Moves all keys of Sonde's, as `redis-cli --cluster reshard` does: together, or one by one with pauses."""
        slot = self.slot
        assert target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", identity(source)) == b"+OK\r\n"
        assert source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", identity(target)) == b"+OK\r\n"
        most = 10_000 if pause is None else 1
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, most).split(b"\r\n")[2::2]:
            answer = source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
            assert answer in (b"+OK\r\n", b"+NOKEY\r\n"), answer
            time.sleep(pause or 0)
        for node in (target, source):
            assert node.ask("CLUSTER", "SETSLOT", slot, "NODE", identity(target)) == b"+OK\r\n"

    @staticmethod
    def wait_until(condition, timeout=30):
        """Waits until the nodes agree on something."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, "the nodes do not agree"
            time.sleep(0.05)


def identity(node):
    """The name of a node in its cluster."""
    return node.ask("CLUSTER", "MYID").split(b"\r\n")[1]


@contextlib.contextmanager
def cluster_of(folder, count, replicas=0):
    """A cluster for as long as it is needed."""
    cluster = RedisCluster(folder, count, replicas)
    try:
        yield cluster
    finally:
        cluster.close()
