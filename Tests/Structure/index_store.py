"""Reads the compiler's index of a debug build: every declaration and use, with its file.

The C interface is that of LLVM's `indexstore/indexstore.h`; `libIndexStore.so` comes with Swift.
"""

import ctypes
import shutil
from dataclasses import dataclass
from pathlib import Path

DECLARATION, DEFINITION, REFERENCE, IMPLICIT = 1 << 0, 1 << 1, 1 << 2, 1 << 8
CHILD_OF = 1 << 9
ENUM, STRUCT, CLASS, PROTOCOL, TYPEALIAS = 5, 6, 7, 8, 11
TYPES = {ENUM, STRUCT, CLASS, PROTOCOL, TYPEALIAS}


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


_pointer = ctypes.c_void_p
_on_text = ctypes.CFUNCTYPE(ctypes.c_bool, _pointer, _Text)
_on_object = ctypes.CFUNCTYPE(ctypes.c_bool, _pointer, _pointer)


@dataclass(frozen=True)
class Occurrence:
    """A place where a symbol is declared or used."""

    symbol: str
    kind: int
    name: str
    roles: int
    line: int
    is_nested: bool


class IndexStore:
    """The newest records of an index, by the file they are about."""

    def __init__(self, folder):
        swift = Path(shutil.which("swift")).resolve()
        self.library = ctypes.CDLL(str(swift.parents[1] / "lib/libIndexStore.so"))
        self.error = _pointer()
        create = self._function("store_create", _pointer, ctypes.c_char_p, _pointer)
        self.store = create(str(folder).encode(), ctypes.byref(self.error))
        if not self.store:
            raise FileNotFoundError(folder)

    def _function(self, name, result, *arguments):
        function = getattr(self.library, f"indexstore_{name}")
        function.restype, function.argtypes = result, arguments
        return function

    def _all(self, apply, subject, kind):
        """What a function that calls back for each element calls back with."""
        found = []
        call = kind(lambda _, element: found.append(str(element) if kind is _on_text else element) or True)
        if kind is _on_text:
            self._function(apply, ctypes.c_bool, _pointer, ctypes.c_uint, _pointer, kind)(subject, 0, None, call)
        else:
            self._function(apply, ctypes.c_bool, _pointer, _pointer, kind)(subject, None, call)
        return found

    def files(self, root):
        """The occurrences of each Swift file below a folder, by its path from there."""
        newest = {}
        open_unit = self._function("unit_reader_create", _pointer, _pointer, ctypes.c_char_p, _pointer)
        for name in self._all("store_units_apply_f", self.store, _on_text):
            unit = open_unit(self.store, name.encode(), ctypes.byref(self.error))
            if not unit:
                continue
            path = Path(str(self._function("unit_reader_get_main_file", _Text, _pointer)(unit)))
            if path.is_relative_to(root) and path.suffix == ".swift" and path.exists():
                moment, records = self._moment(unit), self._records(unit, path)
                if records and moment > newest.get(path, (0, None))[0]:
                    newest[path] = (moment, records)
            self._function("unit_reader_dispose", None, _pointer)(unit)
        return {
            str(path.relative_to(root)): [occurrence for record in records for occurrence in self._read(record)]
            for path, (_, records) in newest.items()
        }

    def _moment(self, unit):
        seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
        read = self._function("unit_reader_get_modification_time", None, _pointer, _pointer, _pointer)
        read(unit, ctypes.byref(seconds), ctypes.byref(nanoseconds))
        return seconds.value * 10**9 + nanoseconds.value

    def _records(self, unit, path):
        file = self._function("unit_dependency_get_filepath", _Text, _pointer)
        name = self._function("unit_dependency_get_name", _Text, _pointer)
        records = []

        def take(_, dependency):
            if str(file(dependency)) == str(path) and str(name(dependency)):
                records.append(str(name(dependency)))
            return True

        call = _on_object(take)
        self._function("unit_reader_dependencies_apply_f", ctypes.c_bool, _pointer, _pointer, _on_object)(
            unit, None, call
        )
        return records

    def _read(self, name):
        create = self._function("record_reader_create", _pointer, _pointer, ctypes.c_char_p, _pointer)
        record = create(self.store, name.encode(), ctypes.byref(self.error))
        if not record:
            return []
        found = []
        call = _on_object(lambda _, occurrence: found.append(self._occurrence(occurrence)) or True)
        apply = self._function("record_reader_occurrences_apply_f", ctypes.c_bool, _pointer, _pointer, _on_object)
        apply(record, None, call)
        self._function("record_reader_dispose", None, _pointer)(record)
        return found

    def _occurrence(self, occurrence):
        symbol = self._function("occurrence_get_symbol", _pointer, _pointer)(occurrence)
        line, column = ctypes.c_uint(), ctypes.c_uint()
        place = self._function("occurrence_get_line_col", None, _pointer, _pointer, _pointer)
        place(occurrence, ctypes.byref(line), ctypes.byref(column))
        role = self._function("symbol_relation_get_roles", ctypes.c_uint64, _pointer)
        nested = []
        call = _on_object(lambda _, relation: nested.append(bool(role(relation) & CHILD_OF)) or True)
        self._function("occurrence_relations_apply_f", ctypes.c_bool, _pointer, _pointer, _on_object)(
            occurrence, None, call
        )
        return Occurrence(
            str(self._function("symbol_get_usr", _Text, _pointer)(symbol)),
            self._function("symbol_get_kind", ctypes.c_int, _pointer)(symbol),
            str(self._function("symbol_get_name", _Text, _pointer)(symbol)),
            self._function("occurrence_get_roles", ctypes.c_uint64, _pointer)(occurrence),
            line.value,
            any(nested),
        )
