"""The log job: what `--pick`, `--anonymize`, `--where`, totals and `--by` cost, beside the same command without them.

`log_job.py [SONDE] [RUNS] [LINES]`: by default the release build, 5 runs, 2,530,000 lines (400 MB) of 200,000 clients.
Commands take turns; a ratio is the median of the ratios turn by turn, of the processor's time and of the clock's.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from ipaddress import IPv4Address, IPv6Address

CLIENTS = 200_000
REQUESTS = [
    'GET /wp-login.php HTTP/1.1" 404 162 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:121.0)',
    'POST /api/v2/items?page=12 HTTP/2.0" 200 5316 "https://shop.example/" "curl/7.88.1',
    'GET /assets/app.3f2a91.js HTTP/1.1" 304 0 "https://example.org/a/b" "Mozilla/5.0 (Windows NT 10.0; Win64; x64) '
    "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.127 Safari/537.36",
    'GET / HTTP/1.1" 200 612 "-" "Mozilla/5.0 (compatible; bot/2.1; +http://bot.example)',
]


def clients(pick, count, share):
    """Addresses of hosts, one in `share` of IPv6; none of them is special-purpose."""
    found = []
    while len(found) < count:
        if share and len(found) % share == 0:
            found.append(str(IPv6Address(0x2A00_1450 << 96 | pick.getrandbits(32) << 64 | pick.getrandbits(64))))
            continue
        address = IPv4Address(pick.getrandbits(32))
        if address.is_global and not address.is_multicast:
            found.append(str(address))
    return found


def log(path, lines, share=None):
    """A log in the combined format."""
    pick = random.Random(20261120)
    hosts = clients(pick, CLIENTS, share)
    rests = [f' - - [20/Nov/2026:18:55:36 +0000] "{request}"\n' for request in REQUESTS]
    with open(path, "w") as file:
        for _ in range(lines // 1000):
            file.write("".join(pick.choice(hosts) + pick.choice(rests) for _ in range(1000)))


def json_log(path, lines):
    """JSON lines as a proxy writes them."""
    pick = random.Random(20261121)
    hosts = clients(pick, CLIENTS, None)
    with open(path, "w") as file:
        for number in range(lines):
            file.write(json.dumps({
                "time": "2026-11-20T18:55:36Z", "client": {"ip": pick.choice(hosts), "port": 40000 + number % 9999},
                "request": {"method": "GET", "path": "/assets/app.3f2a91.js", "version": "HTTP/1.1"}, "status": 200, "bytes": 5316,
                "server": "192.0.2.7", "agent": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0.6478.127 Safari/537.36",
            }) + "\n")


def run(command, place):
    """Seconds of the processor and of the clock, and the peak of memory in MB."""
    with open(place, "wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"{command} failed: {errors.decode()}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def compare(base, others, runs, place="/dev/null"):
    """Runs commands in turns and prints a row for each."""
    names, commands = zip(base, *others)
    results = [[] for _ in commands]
    for _ in range(runs):
        for command, result in zip(commands, results):
            result.append(run(command, place))
    for name, result in zip(names, results):
        cpu, wall, memory = (statistics.median(one) for one in zip(*result))
        ratios = [
            statistics.median(mine[index] / other[index] for mine, other in zip(result, results[0])) for index in (0, 1)
        ]
        against = "" if result is results[0] else f"{ratios[0]:.2f} × | {ratios[1]:.2f} ×"
        print(f"| {name} | {cpu:.2f} s | {wall:.2f} s | {memory:.0f} MB | {against or ' | '} |", flush=True)


def check(sonde, path):
    """The answers, before anything is timed."""
    lines = subprocess.run(["head", "-n", "20000", path], capture_output=True, check=True).stdout
    first = b"".join(line.split(b" ", 1)[0] + b"\n" for line in lines.splitlines())
    for options in (["--pick", "first"], []):
        found = subprocess.run([sonde, "extract", *options, "-"], input=lines, capture_output=True, check=True).stdout
        assert found == first, f"extract {options} differs"


def main():
    arguments = sys.argv[1:]
    sonde = arguments[0] if arguments else ".build/release/sonde"
    runs, lines = (int(text) for text in (arguments[1:] + ["5", "2530000"][len(arguments[1:]):])[:2])
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: f"{folder}/{name}" for name in ("v4.log", "v6.log", "lines.json", "key", "out")}
        log(paths["v4.log"], lines)
        log(paths["v6.log"], lines, 10)
        json_log(paths["lines.json"], lines // 5)
        with open(paths["key"], "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write("0123456789abcdeffedcba98765432101032547698badcfeefcdab8967452301\n")
        check(sonde, paths["v4.log"])
        local = ["--quiet", "--no-cache", "--provider", "local"]
        pseudonyms = ["--anonymize", "pseudonym", "--anonymize-key", paths["key"]]
        print("| what | CPU | clock | peak RSS | CPU against | clock against |\n| --- | --: | --: | --: | --: | --: |")
        for name, path in (("", paths["v4.log"]), (", one in ten IPv6", paths["v6.log"])):
            extract = [sonde, "extract", path]
            compare(
                (f"`extract`{name}", extract),
                [
                    ("`--pick first`", [*extract, "--pick", "first"]),
                    ("`--anonymize truncate`", [*extract, "--anonymize", "truncate"]),
                    ("`--anonymize pseudonym`", [*extract, *pseudonyms]),
                ],
                runs,
            )
            annotate = [sonde, "annotate", *local, path]
            compare(
                (f"`annotate --provider local`{name}", annotate),
                [
                    ("`--pick first`", [*annotate, "--pick", "first"]),
                    ("`--where 'not ip in (8.0.0.0/8)'`", [*annotate, "--where", "not ip in (8.0.0.0/8)"]),
                    ("`--anonymize truncate`", [*annotate, "--anonymize", "truncate"]),
                    ("`--anonymize pseudonym`", [*annotate, *pseudonyms]),
                ],
                runs,
                paths["out"],
            )
            summary = [sonde, "summary", *local, path]
            scan = [sonde, "scan", "--log", *local, "--fields", "+hits,+first_seen", "--format", "csv", path]
            compare(
                (f"`summary --provider local`{name}", summary),
                [
                    ("`--by ip,country_code`", [*summary, "--by", "ip,country_code"]),
                    ("`scan --log --fields +hits,+first_seen`", scan),
                ],
                runs,
            )
        compare(
            ("`extract --pick name:/client/ip` of JSON lines", [sonde, "extract", "--pick", "name:/client/ip", paths["lines.json"]]),
            [("`jq -r .client.ip`", ["jq", "-r", ".client.ip", paths["lines.json"]])],
            min(runs, 3),
        )


if __name__ == "__main__":
    main()
