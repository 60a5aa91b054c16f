"""Random conversions as Python's decimal module calculates them: half to even, rounded once."""

import random
import sys
from decimal import ROUND_HALF_EVEN, Context, Decimal

EXACT = Context(prec=400)
ROUNDING = Context(prec=400, rounding=ROUND_HALF_EVEN)


def number(chooser, digits, scale):
    """A number with so many digits at most, as it is written."""
    whole = chooser.randrange(10 ** chooser.randint(1, digits))
    places = chooser.randint(0, scale)
    text = f"{whole:0{places + 1}d}"
    return f"{text[:-places]}.{text[-places:]}" if places else text


def positive(chooser, digits, scale):
    """The same, but not zero."""
    while not Decimal(text := number(chooser, digits, scale)):
        pass
    return text


def quotient(dividend, divisor):
    """A quotient with two decimals: of whole numbers, so that nothing is rounded twice."""
    shift = Decimal(10) ** 150
    dividend, divisor = int(EXACT.multiply(dividend, shift)) * 100, int(EXACT.multiply(divisor, shift))
    whole, rest = divmod(dividend, divisor)
    # What the rest is of the divisor matters only in how it lies to a half.
    half = Decimal("0.5") if 2 * rest == divisor else Decimal("0.3") if 2 * rest < divisor else Decimal("0.7")
    rounded = ROUNDING.quantize(EXACT.add(Decimal(whole), half if rest else Decimal(0)), Decimal(1))
    return rounded.scaleb(-2, EXACT)


def main():
    """Writes so many lines: amount, price, nominal, price, nominal, result."""
    chooser = random.Random(20240613)
    for _ in range(int(sys.argv[1])):
        if chooser.random() < 0.3:
            # Results that lie in the middle are rare else.
            amount, prices = number(chooser, 8, 3), [chooser.choice(["1", "2", "4", "0.5"]) for _ in range(2)]
            nominals = ["1", "1"]
        else:
            amount = number(chooser, 30, 29)
            prices = [positive(chooser, chooser.choice([6, 18, 30]), 12) for _ in range(2)]
            nominals = [chooser.choice(["1", "10", "100", "10000", positive(chooser, 6, 2)]) for _ in range(2)]
        values = [Decimal(text) for text in (amount, *prices, *nominals)]
        dividend = EXACT.multiply(EXACT.multiply(values[0], values[1]), values[4])
        divisor = EXACT.multiply(values[2], values[3])
        result = quotient(dividend, divisor)
        print(amount, prices[0], nominals[0], prices[1], nominals[1], f"{result:f}")


main()
