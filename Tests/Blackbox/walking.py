"""Follows a run of the debug build through the code: which functions of which files it calls, in order."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEBUG_BUILD = ROOT / ".build/debug/sonde"


@dataclass(frozen=True)
class Function:
    """All functions of a name in a file."""

    name: str
    file: str


def tool(name, *arguments, lines=()):
    """The output of one of the tools that come with Swift, about some lines of input."""
    path = Path(shutil.which("swift")).resolve().parent / name
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run([path, *arguments], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def offsets(functions):
    """Where the functions of each name begin in the debug build.

    A part of an asynchronous function, a closure and what the compiler adds have other names.
    """
    symbols = [line.split(" ", 2) for line in tool("llvm-nm", "--defined-only", DEBUG_BUILD).splitlines()]
    symbols = [(name, int(value, 16)) for value, kind, name in symbols if kind in "tT" and "Sonde" in name]
    # F: a function; FZ: a static one; vg: the getter of a property.
    symbols = [symbol for symbol in symbols if re.search(r"(F|FZ|vg)$", symbol[0])]
    names = tool("swift-demangle", "-compact", "-simplified", lines=[name for name, _ in symbols]).splitlines()
    places = tool(
        "llvm-symbolizer", f"--obj={DEBUG_BUILD}", "--functions=none", "--no-inlines",
        lines=[hex(value) for _, value in symbols],
    ).split()  # fmt: skip
    assert len(symbols) == len(names) == len(places)
    found = {function: set() for function in functions}
    for (_, value), name, place in zip(symbols, names, places):
        base = re.match(r"(?:static )?(?:[\w.]+\.)?(\w+)(?:<[^(]*>)?(?:\(|\.getter$)", name)
        path = place.rpartition("/Sources/")[2].split(":")[0]
        function = base and Function(base[1], f"Sources/{path}")
        if function in found:
            found[function].add(value)
    return found


def calls(sonde, arguments, functions, env, timeout=50):
    """The calls of some functions in a run of the debug build, in their order."""
    places = [sorted(one) for one in offsets(functions).values()]
    result = sonde.directory / "calls.json"
    words = (str(DEBUG_BUILD.resolve()), shlex.join(arguments), places, str(result))
    done = subprocess.run(
        ["gdb", "-nx", "-batch", "-x", HERE / "gdb_calls.py", "-ex", f"python note_calls{words}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=sonde.environment(env),
        cwd=sonde.work,
        timeout=timeout,
    )
    assert result.exists(), done.stderr.decode()
    names = list(functions)
    return [names[number] for number in json.loads(result.read_text())]
