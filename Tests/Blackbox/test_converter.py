"""The sample `converter` on the terminal, against the exchange's stand-in."""

import json
import time

import pytest
from converting import Converter
from namespaces import PORT, PROVIDER, Network, skip_unless_allowed
from samples import FAULTS, ends_by_a_signal

DAY = 86_400_000
OTHER_JSON = {"fault": "status", "status": 200, "body": '{"wap_rates":{"columns":[],"data":7}}'}


@pytest.fixture
def converter(tmp_path, simulator):
    """The command, which asks the simulator."""
    converter = Converter(tmp_path)
    yield lambda *arguments, **changes: converter(*arguments, env={**simulator.env, **changes})
    converter.close()


@pytest.fixture
def kept(tmp_path):
    """Where the rates are kept."""
    return tmp_path / "home" / "cache" / "sonde" / "converter.json"


def age(kept, milliseconds):
    """Makes what is kept older."""
    content = json.loads(kept.read_text())
    content["fetched_at"] -= milliseconds
    kept.write_text(json.dumps(content))


def test_an_amount_is_converted_and_the_rates_are_told(converter):
    result = converter("100", "USD", "CNY")
    assert (result.stdout, result.status) == (b"744.04 CNY\n", 0)
    assert result.stderr.splitlines() == [
        "converter: CNY: 11.9485 RUB, Moscow Exchange, 2024-06-14 19:00:00",
        "converter: USD: 88.9021 RUB, Bank of Russia, 2024-06-15",
    ]


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (("100,5", "usd", "RUR"), "8934,66 RUB"),
        (("1'000 000", "RUB", "EUR"), "10444.37 EUR"),
        (("1.234.567,5", "CNY", "CNY"), "1234567,50 CNY"),
        (("9" * 30, "EUR", "RUB"), "95745399999999999999999999999904.25 RUB"),
        (("0", "RUB", "USD"), "0.00 USD"),
    ],
)
def test_the_sign_is_that_of_the_amount(converter, arguments, expected):
    assert converter(*arguments).stdout.decode() == expected + "\n"


@pytest.mark.parametrize(
    "arguments",
    [("-1", "USD", "RUB"), ("", "USD", "RUB"), ("NaN", "USD", "RUB"), ("1" * 31, "USD", "RUB"),
     ("1", "USD", "GBP"), ("1", "USD"), ("1", "USD", "RUB", "EUR"), ("--no",)],
)
def test_wrong_usage_is_told(converter, simulator, arguments):
    result = converter(*arguments)
    assert (result.stdout, result.status) == (b"", 2) and result.stderr
    assert simulator.requests("moex rates") == 0


@pytest.mark.parametrize("fault", [*FAULTS.values(), OTHER_JSON], ids=[*FAULTS, "other JSON"])
def test_a_fault_of_the_exchange_is_told(converter, simulator, kept, fault):
    simulator.control(faults=[fault])
    result = converter("1", "USD", "RUB")
    assert (result.stdout, result.status) == (b"", 1) and "exchange" in result.stderr
    assert not kept.exists()


def test_a_request_ends_after_ten_seconds(converter, simulator):
    simulator.control(faults=[{"fault": "hang"}])
    start = time.monotonic()
    assert converter("1", "USD", "RUB").status == 1
    assert 9 < time.monotonic() - start < 14


@pytest.mark.parametrize(
    "day, currency, expected",
    [
        ({"prices": {"USD": 90}}, "USD", "90.00"),
        ({"prices": {"USD": 0}}, "USD", "88.90"),
        ({"prices": {"CNY": None}}, "CNY", None),
        ({"prices": {"CNY": 0}}, "CNY", None),
        ({"prices": {"CNY": -1}}, "CNY", None),
        ({"prices": {"CNY": 1234.5}, "nominals": {"CNY": 100}}, "CNY", "12.34"),
        ({"nominals": {"CNY": None}}, "CNY", None),
        ({"absent": ["USD", "EUR"]}, "USD", "88.90"),
        ({"absent": ["USD", "EUR", "CNY"], "official": {"USD": None}}, "USD", None),
        ({"official": {"EUR": None}}, "EUR", None),
        ({"upper": True, "reordered": True}, "CNY", "11.95"),
        ({"upper": True, "reordered": True}, "EUR", "95.75"),
        ({"blocks": ["wap_rates"]}, "CNY", "11.95"),
        ({"blocks": ["cbrf"]}, "EUR", "95.75"),
        ({"blocks": ["cbrf"]}, "CNY", None),
    ],
)
def test_a_rate_is_found_however_the_answer_looks(converter, simulator, day, currency, expected):
    simulator.control(exchange=day)
    result = converter("1", currency, "RUB")
    if expected:
        assert (result.stdout.decode(), result.status) == (f"{expected} RUB\n", 0)
    else:
        assert (result.stdout, result.status) == (b"", 1)
        assert f"No rate for {currency}" in result.stderr


def test_rates_are_kept_for_five_minutes(converter, simulator, kept):
    converter("1", "USD", "RUB")
    converter("2", "USD", "RUB")
    assert simulator.requests("moex rates") == 1
    age(kept, 301_000)
    converter("3", "USD", "RUB")
    assert simulator.requests("moex rates") == 2
    # The clock was set back since.
    age(kept, -DAY)
    converter("4", "USD", "RUB")
    assert simulator.requests("moex rates") == 3
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"fetched_at":"x","answer":{}}', b"x" * (3 << 20)],
    ids=["empty", "half", "other JSON", "no text", "other values", "long"],
)
def test_what_is_kept_but_spoilt_is_asked_for_again(converter, simulator, kept, content):
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content)
    assert converter("1", "USD", "RUB").stdout == b"88.90 RUB\n"
    assert 88.9021 in json.loads(kept.read_text())["answer"]["cbrf"]["data"][0]


def test_without_network_kept_rates_do(converter, kept):
    lost = {"CONVERTER_URL": "http://exchange.invalid"}
    result = converter("1", "USD", "RUB", **lost)
    assert (result.stdout, result.status) == (b"", 3) and "Network lost" in result.stderr
    converter("1", "USD", "RUB")
    age(kept, DAY)
    result = converter("1", "USD", "RUB", **lost)
    assert (result.stdout, result.status) == (b"88.90 RUB\n", 0)
    assert "1440 min old" in result.stderr


def test_with_a_fault_kept_rates_do_and_the_status_tells(converter, simulator, kept):
    converter("1", "USD", "RUB")
    age(kept, DAY)
    simulator.control(faults=[{"fault": "status", "status": 500}])
    result = converter("1", "USD", "RUB")
    assert (result.stdout, result.status) == (b"88.90 RUB\n", 1)
    assert "status 500" in result.stderr and "1440 min old" in result.stderr


@skip_unless_allowed()
def test_without_a_link_it_is_told_at_once(tmp_path):
    network = Network()
    converter = Converter(tmp_path)
    # An address, so that no name server is asked.
    env = {"CONVERTER_URL": f"http://{PROVIDER}:{PORT + 3}"}
    try:
        network.lose()
        start = time.monotonic()
        result = converter("1", "USD", "RUB", env=env, prefix=network.near.prefix)
        assert (result.stdout, result.status) == (b"", 3)
        assert result.stderr == "converter: Network lost: the link is down\n"
        assert time.monotonic() - start < 3
        network.restore()
        network.await_path(PORT + 3)
        assert converter("1", "USD", "RUB", env=env, prefix=network.near.prefix).stdout == b"88.90 RUB\n"
    finally:
        converter.close()
        network.close()


def test_an_output_that_takes_nothing_is_told(tmp_path, simulator):
    converter = Converter(tmp_path)
    with open("/dev/full", "wb") as full:
        for arguments in (("1", "USD", "RUB"), ("--help",), ()):
            result = converter(*arguments, env=simulator.env, stdout=full, timeout=10)
            assert result.status == 1
            assert result.stderr.endswith("converter: cannot write to stdout: No space left on device\n")


def test_a_signal_ends_it_whenever_it_comes(tmp_path, simulator):
    ends_by_a_signal(Converter, tmp_path, simulator)
