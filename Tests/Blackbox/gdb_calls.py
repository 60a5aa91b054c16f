"""Run by gdb, in its own Python: notes the calls of some functions of a program, in their order."""

import json

import gdb

notes = []


class Call(gdb.Breakpoint):
    """Notes each call of a function and lets the program go on."""

    def __init__(self, address, number):
        super().__init__(f"*{address:#x}", internal=True)
        self.note = number

    def stop(self):
        """Whether the program stops here."""
        notes.append(self.note)
        return False


def load_address(program):
    """Where a program that has just been started lies in memory."""
    with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
        return next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(program))


def note_calls(program, arguments, offsets, result):
    """Runs a program, whose functions have offsets in it, and writes the numbers of those called."""
    for setting in ("confirm off", "auto-solib-add off", "breakpoint always-inserted on"):
        gdb.execute(f"set {setting}")
    # Without its symbols, which take long to read, and are not needed.
    gdb.execute(f"exec-file {program}")
    gdb.execute(f"starti {arguments}", to_string=True)
    gdb.execute("handle all nostop noprint pass", to_string=True)
    gdb.execute("handle SIGTRAP stop", to_string=True)
    base = load_address(program)
    for number, addresses in enumerate(offsets):
        for address in addresses:
            Call(base + address, number)
    gdb.execute("continue")
    with open(result, "w") as file:
        json.dump(notes, file)
