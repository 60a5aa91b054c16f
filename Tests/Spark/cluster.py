"""A cluster of three machines in network namespaces, and what is done to it while it asks."""

import contextlib
import os
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import world
from conftest import multiset
from expected import record
from namespaces import FarSimulator, Namespace, run
from redis_server import RedisServer

WINDOW, LIMIT, BATCH = 2, 15, 100
WORKERS, CORES = 3, 4
ASKERS = WORKERS * CORES
# Requests under way at once of one process.
CONCURRENCY = 8
HUB, PROVIDER = "10.9.100.1", "203.0.113.5"


class Cluster:
    """A hub with the driver, the master and Redis; three workers around it; the provider behind it.

    The provider sees one address, the hub's, whoever asks.
    """

    def __init__(self, folder):
        self.folder = folder
        self.processes, self.namespaces = [], []

    def start(self):
        """Makes the machines and starts what runs on them."""
        self.hub = self.namespace("hub")
        self.hub.ip(f"addr add {HUB}/32 dev lo")
        run(f"ip netns exec {self.hub.name} sysctl -qw net.ipv4.ip_forward=1")
        self.far = self.namespace("far")
        self.join(self.far, 0)
        self.far.ip(f"addr add {PROVIDER}/32 dev lo")
        self.hub.ip(f"route add {PROVIDER}/32 via 10.9.0.1")
        self.nft(
            "add table ip nat",
            "add chain ip nat out { type nat hook postrouting priority 100; }",
            "add rule ip nat out oifname hub0 masquerade",
        )
        self.workers = [self.namespace(f"worker{number}") for number in range(1, WORKERS + 1)]
        for number, worker in enumerate(self.workers, 1):
            self.join(worker, number)
        self.simulator = FarSimulator(self.far, PROVIDER)
        options = ["--bind", HUB, "--protected-mode", "no"]
        self.redis = RedisServer(self.folder / "redis", *options, prefix=self.hub.prefix)
        self.start_spark()

    def namespace(self, label):
        """A namespace of the cluster's own."""
        self.namespaces.append(Namespace(label))
        return self.namespaces[-1]

    def join(self, other, number):
        """Gives a namespace a link to the hub, and the way to all others by it."""
        run(f"ip link add hub{number} netns {self.hub.name} type veth peer name out0 netns {other.name}")
        self.hub.ip(f"addr add 10.9.{number}.2/24 dev hub{number}", f"link set hub{number} up")
        other.ip(f"addr add 10.9.{number}.1/24 dev out0", "link set out0 up", f"route add default via 10.9.{number}.2")

    def nft(self, *commands):
        """Changes the hub's packet filter."""
        for command in commands:
            subprocess.run([*self.hub.prefix, "nft", command], check=True)

    def start_spark(self):
        """Starts the master and the workers, each worker as on a machine of its own."""
        import pyspark

        spark_class = Path(pyspark.__file__).parent / "bin/spark-class"
        package = "org.apache.spark.deploy"
        master = f"spark://{HUB}:7077"
        self.begin(self.hub, "master", spark_class, f"{package}.master.Master", "--host", HUB, "--port", "7077")
        self.homes = []
        for number, worker in enumerate(self.workers, 1):
            home = self.folder / f"machine{number}"
            home.mkdir()
            self.homes.append(home)
            self.begin(
                *(worker, f"worker{number}", spark_class, f"{package}.worker.Worker", "--host", f"10.9.{number}.1"),
                *("--cores", str(CORES), "--memory", "1g", "--work-dir", str(home / "work"), master),
                XDG_CACHE_HOME=str(home / "cache"), XDG_STATE_HOME=str(home / "state"), TMPDIR=str(home),
                SONDE_IP_API_URL=self.simulator.urls["ip_api"],
            )  # fmt: skip
        self.master = master

    def begin(self, namespace, name, *command, **env):
        """Starts a process in a namespace; what it says is in a file."""
        with open(self.folder / f"{name}.log", "wb") as said:
            process = subprocess.Popen(
                [*namespace.prefix, *map(str, command)], stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                env={**os.environ, "SPARK_LOCAL_IP": "", "SPARK_MASTER_WEBUI_PORT": "0", **env},
            )  # fmt: skip
        self.processes.append(process)

    def session(self, **settings):
        """A driver in the hub; to be called on a thread that is there."""
        os.environ["SPARK_LOCAL_IP"] = HUB
        os.environ["SONDE_IP_API_URL"] = self.simulator.urls["ip_api"]
        return world.session(
            self.master,
            **{
                "spark.driver.host": HUB,
                "spark.executor.memory": "512m",
                "spark.executor.cores": str(CORES),
                "spark.executorEnv.PATH": os.environ["PATH"],
                "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
                # An executor that hangs is given up within seconds.
                "spark.network.timeout": "20s",
                "spark.network.timeoutInterval": "5s",
                "spark.executor.heartbeatInterval": "2s",
                "spark.scheduler.minRegisteredResourcesRatio": "1.0",
                "spark.cores.max": str(ASKERS),
                "spark.sql.shuffle.partitions": str(ASKERS),
                **settings,
            },
        )

    def close(self):
        """Ends all of it."""
        for process in reversed(self.processes):
            with contextlib.suppress(OSError):
                for each in family(process.pid):
                    os.kill(each, signal.SIGCONT)
                    os.kill(each, signal.SIGKILL)
            process.wait()
        for name in ("redis", "simulator"):
            part = getattr(self, name, None)
            if part is not None:
                part.close() if name == "redis" else part.stop()
        for each in self.namespaces:
            each.close()


def family(process):
    """A process and all that it started."""
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))
    yield process


def executor(cluster, number):
    """The JVM of a worker's executor."""
    for process in family(cluster.processes[1 + number].pid):
        with contextlib.suppress(OSError):
            if "CoarseGrainedExecutorBackend" in Path(f"/proc/{process}/cmdline").read_text():
                return process
    raise AssertionError("there is no executor")


class Signals:
    """Sends signals to an executor with all that it started, as if its machine had died or hung."""

    def __init__(self, cluster, number):
        self.all = list(family(executor(cluster, number)))

    def send(self, number):
        for each in self.all:
            with contextlib.suppress(OSError):
                os.kill(each, number)


# What is done while the cluster asks, from a time on at which some windows are spent.


def nothing(cluster):
    """Is left alone."""


def executor_killed(cluster):
    Signals(cluster, 0).send(signal.SIGKILL)


def executor_stopped(cluster):
    stopped = Signals(cluster, 1)
    stopped.send(signal.SIGSTOP)
    yield
    # It comes back when its work has long been done by others.
    stopped.send(signal.SIGCONT)


def redis_killed(cluster):
    cluster.redis.kill()
    time.sleep(3)
    cluster.redis.start()


def redis_stopped(cluster):
    cluster.redis.signal(signal.SIGSTOP)
    time.sleep(5)
    cluster.redis.signal(signal.SIGCONT)


def redis_flushed(cluster):
    cluster.redis.ask("FLUSHALL")


def redis_slow(cluster):
    deadline = time.monotonic() + 8
    while time.monotonic() < deadline:
        cluster.redis.ask("CLIENT", "PAUSE", 150)
        time.sleep(0.2)


def packets_dropped(cluster):
    """A fifth of all packets of one machine, and those of another one to Redis whole."""
    cluster.workers[0].drop("numgen random mod 100 < 20")
    cluster.workers[1].drop(f"tcp sport {cluster.redis.port}")
    time.sleep(6)
    for worker in cluster.workers[:2]:
        worker.pass_all()


CASES = [
    nothing,
    executor_killed,
    executor_stopped,
    redis_killed,
    redis_stopped,
    redis_flushed,
    redis_slow,
    packets_dropped,
]


# Has Spark begin a second copy of a task as soon as half of them are done.
EAGER = {
    "spark.speculation": "true",
    "spark.speculation.multiplier": "1.2",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "3s",
}


def prove(folder, only):
    """Goes through all cases, and prints a row for each."""
    cluster = Cluster(folder)
    good = True
    try:
        cluster.start()
        with cluster.hub.entered():
            spark = cluster.session()
            print("| case | requests | 429 | windows | used | asked twice | records | seconds |", flush=True)
            print("| --- | --: | --: | --: | --: | --: | --- | --: |", flush=True)
            for number, case in enumerate(CASES):
                if only in case.__name__:
                    good &= Case(cluster, spark, number, case).run()
            spark.stop()
            if only in "speculation":
                spark = cluster.session(**EAGER)
                good &= Case(cluster, spark, len(CASES), speculation).run()
                spark.stop()
    finally:
        cluster.close()
    return 0 if good else 1


def speculation(cluster):
    """The processes that ask on one machine hang, for as long as the others need to take their tasks over."""
    hanging = [p for p in family(executor(cluster, 2)) if Path(f"/proc/{p}/comm").read_text().strip() == "sonde"]
    for each in hanging:
        os.kill(each, signal.SIGSTOP)
    yield
    for each in hanging:
        with contextlib.suppress(OSError):
            os.kill(each, signal.SIGCONT)


class Case:
    """One job, and what is done to the cluster meanwhile."""

    def __init__(self, cluster, spark, number, disturb):
        self.cluster, self.spark, self.disturb = cluster, spark, disturb
        self.addresses = [f"{20 + number}.{n // 250}.{n % 250}.9" for n in range(12_000)]
        random.Random(number).shuffle(self.addresses)

    def run(self):
        """Runs it, prints its row, and says whether it is as it must be."""
        self.cluster.redis.ask("FLUSHALL")
        time.sleep(WINDOW + 1)
        self.cluster.simulator.control(window=WINDOW, batch_limit=LIMIT)
        found, began = [], time.monotonic()
        job = threading.Thread(target=lambda: found.extend(self.job()))
        job.start()
        self.cluster.simulator.wait_for(30, timeout=120)
        ending = self.disturb(self.cluster)
        if ending is not None:
            next(ending)
        job.join()
        seconds = time.monotonic() - began
        if ending is not None:
            next(ending, None)
            time.sleep(3)
        return self.judge(found, seconds)

    def job(self):
        import sonde.spark

        rows = self.spark.createDataFrame([(each,) for each in self.addresses], "value string").repartition(ASKERS)
        url = f"redis://{HUB}:{self.cluster.redis.port}/0"
        return sonde.spark.enrich(rows, provider="ip-api", shared=url, askers=ASKERS).collect()

    def judge(self, found, seconds):
        counts, windows = self.cluster.simulator.counts(), self.cluster.simulator.windows()
        asked = self.cluster.simulator.report("?addresses=1")["addresses"]
        twice = sum(asked.values()) - len(asked)
        same = multiset(found, ["message"]) == multiset(record(each) for each in self.addresses)
        most = max(window["requests"] for window in windows)
        # All but the last could be used whole; a window begins with the first request after the one before.
        spent = sum(window["requests"] for window in windows[:-1])
        used = spent / (LIMIT * (len(windows) - 1))
        by_time = spent / (LIMIT * (windows[-1]["start"] - windows[0]["start"]) / WINDOW)
        good = same and counts["throttled"] == 0 and most <= LIMIT
        if self.disturb is nothing:
            good = good and used >= 0.9 and twice == 0
        else:
            good = good and twice <= CORES * CONCURRENCY * BATCH
        name, told = self.disturb.__name__.replace("_", " "), "as undisturbed" if same else f"DIFFER: {len(found)}"
        cells = [
            name,
            counts["total"],
            counts["throttled"],
            len(windows),
            f"{100 * used:.0f} % ({100 * by_time:.0f} %)",
        ]
        print("|", " | ".join(map(str, [*cells, twice, told, round(seconds)])), "|" if good else "| WRONG", flush=True)
        return good
