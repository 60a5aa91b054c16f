"""The Moscow Exchange's rates (https://iss.moex.com/iss/reference/): two blocks of columns and rows.

`exchange` of the settings says what differs from a usual day since 13 June 2024, when the trade of
dollars and euros ended:

- `prices`: the weighted averages by currency, `null` for those without trade;
- `nominals`: how many of a currency a price is for;
- `official`: the Bank of Russia's rates by currency, `null` for none;
- `absent`: the currencies without a row;
- `blocks`: the blocks that there are;
- `reordered`, `upper`: whether columns stand in another order, and blocks and columns have names in
  upper case.
"""

import json

from ip_api import Call
from wire import Answer

PATH = "/iss/statistics/engines/currency/markets/selt/rates.json"
USUAL = {
    "prices": {"CNY": 11.9485, "USD": None, "EUR": None},
    "nominals": {"CNY": 1, "USD": 1, "EUR": 1},
    "official": {"USD": 88.9021, "EUR": 95.7454},
    "absent": [],
    "blocks": ["wap_rates", "cbrf"],
    "reordered": False,
    "upper": False,
}


class MoscowExchange:
    """The stand-in for iss.moex.com."""

    name = "moex"
    variable = "CONVERTER_URL"

    def __init__(self, settings, _limits):
        self.settings = settings

    def reset(self):
        """Has nothing to forget."""

    def understand(self, request):
        """What a request asks."""
        return Call("moex rates" if request.path == PATH else "moex other", request.method, [])

    def answer(self, request, call, client, now):
        """The rates as they are set."""
        if call.name == "moex other":
            return Answer(404)
        if request.method != "GET":
            return Answer(405)
        day = {**USUAL, **self.settings.exchange}
        blocks = {"wap_rates": averages(day), "cbrf": official(day)}
        return Answer(body=json.dumps(dressed(day, blocks), indent=1).encode())


def averages(day):
    """The weighted averages, a row for each pair."""
    prices, nominals = {**USUAL["prices"], **day["prices"]}, {**USUAL["nominals"], **day["nominals"]}
    rows = [
        {
            "tradedate": "2024-06-14",
            "tradetime": "19:00:00",
            "secid": f"{code}RUB_TOM",
            "shortname": f"{code}RUB_TOM",
            "price": prices[code],
            "lasttoprevprice": 0.1261,
            "nominal": nominals[code],
            "decimals": 4,
        }
        for code in ("CNY", "USD", "EUR")
        if code not in day["absent"]
    ]
    return rows or [{}]


def official(day):
    """The Bank of Russia's rates and the last ones of the trade, in one row."""
    rates = {**USUAL["official"], **day["official"]}
    row = {}
    for code, rate in rates.items():
        row[f"CBRF_{code}_LAST"] = rate
        row[f"CBRF_{code}_LASTCHANGEPRCNT"] = None if rate is None else -0.1391
        row[f"CBRF_{code}_TRADEDATE"] = None if rate is None else "2024-06-15"
    row["USDTOM_UTS_CLOSEPRICE"] = 88.9
    row["USDTOM_UTS_CLOSEPRICETOPREVPRCN"] = None
    return [row]


def dressed(day, blocks):
    """The blocks in the form that they are answered in."""
    answer = {}
    for name in day["blocks"]:
        rows = blocks[name]
        columns = list(rows[0])
        if day["reordered"]:
            columns = sorted(columns, key=lambda column: column[::-1])
        data = [[row[column] for column in columns] for row in rows if row]
        if day["upper"]:
            answer[name.upper()] = {"COLUMNS": [column.upper() for column in columns], "DATA": data}
        else:
            answer[name] = {"columns": columns, "data": data}
    return answer
