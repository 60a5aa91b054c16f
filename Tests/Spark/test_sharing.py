"""Askers at once within one quota, and how many there may be."""

import pytest
from conftest import right

ADDRESSES = [f"5.{n // 250}.{n % 250}.9" for n in range(4500)]


def test_askers_at_once_keep_to_one_quota_and_use_it(spark, module, simulator, redis):
    simulator.control(window=2, batch_limit=15)
    df = spark.createDataFrame([(each,) for each in ADDRESSES], "value string").repartition(2)
    found = module.enrich(df, provider="ip-api", shared=redis.url, askers=2).collect()
    right(found, ADDRESSES)
    windows = simulator.windows()
    assert simulator.counts()["throttled"] == 0 and all(window["requests"] <= 15 for window in windows)
    assert set(simulator.addresses().values()) == {1}
    again = module.enrich(df, provider="ip-api", shared=redis.url).collect()
    assert {each.cached for each in again} == {True} and simulator.counts()["items"] == len(ADDRESSES)


class Cluster:
    """A session of several machines, as far as the options ask it."""

    def __init__(self, **settings):
        self.settings = settings

    @property
    def conf(self):
        return self

    def get(self, name, default=None):
        return {"spark.master": "spark://host:7077", **self.settings}.get(name, default)


def test_a_quota_of_each_machine_is_not_asked_by_several(module, spark):
    from sonde.spark import options

    alone = options.parse(Cluster(), {"provider": "ip-api"})
    assert alone.askers(Cluster(), None) == alone.askers(Cluster(), 1) == 1
    with pytest.raises(ValueError, match=r"askers=3 without shared.*redis://"):
        alone.askers(Cluster(), 3)
    assert alone.askers(spark, None) == 4 and alone.askers(spark, 9) == 9
    url = "redis://127.0.0.1:9/0"
    for cluster, given in (
        (Cluster(), {"shared": url}),
        (Cluster(**{"spark.executorEnv.SONDE_SHARED": url}), {}),
    ):
        shared = options.parse(cluster, {"provider": "ip-api", **given})
        assert f"--shared={url}" in shared.scan and shared.askers(cluster, None) == 4
        assert shared.askers(cluster, 12) == 12
