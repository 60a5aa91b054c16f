"""`--shared` with a cluster: one node has all of Sonde's keys, and the others lead to it."""

import contextlib
import signal

import pytest
from redis_cluster import cluster_of
from redis_proxy import Answering, Error, Proxy
from redis_server import RedisServer
from shared_scans import ADDRESSES, SharedScans, right

pytestmark = pytest.mark.slow


@pytest.fixture
def scan(sonde, simulator):
    return SharedScans(sonde, simulator)


@pytest.fixture
def cluster(tmp_path):
    """Starts a cluster of some nodes that share the slots evenly."""
    with contextlib.ExitStack() as started:
        yield lambda count: started.enter_context(cluster_of(tmp_path, count))


def holders(cluster):
    """The nodes that have keys."""
    return [node for node in cluster.nodes if node.ask("DBSIZE") != b":0\r\n"]


def test_a_cluster_of_one_is_like_another_server(scan, simulator, cluster, sonde):
    [node] = cluster(1).nodes
    right(scan(200, node.url).finish(), 200)
    right(scan(200, node.unix).finish(), 200)
    assert simulator.counts()["total"] == 2
    result = scan(3, node.url.replace("/0", "/1")).finish()
    assert result.status == 5 and result.stderr.endswith("Redis says: ERR SELECT is not allowed in cluster mode\n")


def test_any_node_leads_to_the_one_with_the_keys(scan, simulator, cluster, sonde):
    """Also while a scan runs, when the keys move to another one."""
    simulator.control(window=1, batch_limit=2)
    servers = cluster(3)
    nodes = servers.nodes
    for node in nodes:
        right(scan(200, node.url).finish(), 200)
    assert simulator.counts()["total"] == 2
    [holder] = holders(servers)
    assert holder is servers.holder
    for command in (["cache", "list"], ["cache", "show", ADDRESSES[0]]):
        outputs = {sonde(*command, "--shared", node.url, env=simulator.env).stdout for node in nodes}
        assert len(outputs) == 1 and outputs != {b""}, command
    run = scan(1000, nodes[0].url, "--rate", "2/s")
    servers.wait_until(lambda: simulator.counts()["total"] == 4)
    other = next(node for node in nodes if node is not holder)
    servers.move(holder, other)
    # To those who knew the quota, it is that of a server that has restarted.
    servers.wait_until(lambda: "the quota is spent; waiting" in run.stderr)
    run.process.send_signal(signal.SIGINT)
    assert len(run.finish().records) == 400 and holders(servers) == [other]
    for node in nodes:
        right(scan(400, node.url).finish(), 400)
    assert simulator.counts()["total"] == 4


def test_keys_on_their_way_are_asked_for_at_their_destination(scan, simulator, redis, sonde, tmp_path):
    """One node sends each look-up elsewhere, where it is answered behind ASKING alone."""
    right(scan(200, redis.url).finish(), 200)
    moving = ("HGETALL", "ZRANGEBYSCORE", "ZRANGE", "ZREVRANGE", "ZCARD")
    state = {"asking": False, "asked": 0}

    def there(words, answer):
        was, state["asking"] = state["asking"], words[0] == "ASKING"
        state["asked"] += was
        return answer if was or words[0] not in moving else Error(b"MOVED 1 :1")

    def here(words, answer):
        return Error(b"ASK 1 127.0.0.1:%d" % target.port) if words[0] in moving else answer

    # Neither is in cluster mode: the answer to ASKING is an error, which nobody reads.
    source = RedisServer(tmp_path / "source")
    target, first = Proxy(redis, there), Proxy(source, here)
    with contextlib.closing(source), contextlib.closing(target), contextlib.closing(first):
        for command in (["cache", "list"], ["cache", "show", ADDRESSES[0]]):
            direct, led = (sonde(*command, "--shared", url, env=simulator.env) for url in (redis.url, first.url))
            assert (direct.status, led.status, led.stdout) == (0, 0, direct.stdout), led.stderr
        assert ADDRESSES[0].encode() in direct.stdout
    assert state["asked"] > 200


@pytest.mark.parametrize("answer", ["MOVED 3999 127.0.0.1:%d", "MOVED 3999 :1", "ASK 3999 127.0.0.1:%d"])
def test_a_circle_is_waited_for(scan, simulator, answer):
    """So is a node that is not there."""
    circle = Answering(b"")
    circle.answer = (f"-{answer}\r\n".replace("%d", str(circle.port))).encode() * 9
    result = scan(3, circle.url, "--offline-timeout", "1").finish()
    circle.close()
    assert result.status == 3 and simulator.counts()["total"] == 0
    assert {each["status"] for each in result.records} == {"network_lost"}
