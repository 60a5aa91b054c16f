"""First appearances as numbers, of which the least is the first one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sonde.errors import SondeError

# Of a number without its sign: those of the file, of the place in it, and one for a line in place of a byte.
_BITS = 63


class Places:
    """One number for each place in any of several files: the file's own, whether it is a line, and the line or byte.

    Attributes:
        files: The names of the files, in their order.

    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        """Gives the places in a file all bits that the numbers of the files leave.

        Args:
            sizes: The files, in their order, with their bytes.

        Raises:
            SondeError: There are too many files for one so large.

        """
        self.files = list(sizes)
        self._numbers = {file: number for number, file in enumerate(self.files)}
        self._bits = _BITS - 1 - max(len(self.files) - 1, 0).bit_length()
        for file, size in sizes.items():
            self._check(file, size)

    def of(
        self,
        files: Sequence[str],
        which: npt.NDArray[np.int64],
        values: npt.NDArray[np.int64],
        are_lines: npt.NDArray[np.bool_],
    ) -> pa.Array:
        """The places of lines or bytes.

        Args:
            files: The names of the files that they are in.
            which: The index among these for each.
            values: The lines or bytes.
            are_lines: Whether they are lines.

        Raises:
            SondeError: A line or byte is behind all that there is room for.

        """
        if len(values):
            last = int(values.argmax())
            self._check(files[which[last]], int(values[last]))
        numbers = np.array([self._numbers[file] for file in files], np.int64)
        return pa.array((numbers[which] << 1 | are_lines) << self._bits | values)

    def taken_apart(
        self, places: pa.Array
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """The indices of the files, whether places are lines in place of bytes, and the lines or bytes."""
        values = places.to_numpy()
        return values >> self._bits + 1, values & self._line != 0, values & self._line - 1

    def file_number(self, place: str) -> str:
        """The number of the file, from 1, in SQL, of a column of places."""
        return f"cast(shiftright({place}, {self._bits + 1}) + 1 AS int)"

    def is_line(self, place: str) -> str:
        """Whether it is a line in place of a byte, in SQL, of a column of places."""
        return f"({place} & {self._line}L) != 0"

    def place_in_file(self, place: str) -> str:
        """The line or byte, in SQL, of a column of places."""
        return f"({place} & {self._line - 1}L)"

    @property
    def _line(self) -> int:
        """The bit of a line."""
        return 1 << self._bits

    def _check(self, file: str, place: int) -> None:
        if place >> self._bits:
            raise SondeError(
                f"{file}: {place} bytes or lines are more than can be numbered in {len(self.files)} files: "
                "read fewer files at once"
            )
