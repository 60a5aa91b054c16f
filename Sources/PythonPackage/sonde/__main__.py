"""`python3 -m sonde` is the program."""

from sonde.program import main

if __name__ == "__main__":
    main()
