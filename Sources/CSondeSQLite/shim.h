#pragma once
#include <sqlite3.h>
#include <stddef.h>

// `sqlite3_config` and `sqlite3_db_config` are variadic and `SQLITE_STATIC` is a cast: Swift imports
// none of them.

static inline int sonde_sqlite_set_switch(sqlite3 *handle, int option, int value) {
  return sqlite3_db_config(handle, option, value, (int *)0);
}

// Before anything else; without its statistics SQLite needs no mutex to allocate.
static inline int sonde_sqlite_set_global_switch(int option, int value) {
  return sqlite3_config(option, value);
}

// The bytes must stay where they are until the statement is reset.
static inline int sonde_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

static inline int sonde_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// The bytes are copied.
static inline int sonde_sqlite_bind_bytes(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// memmem(3), which glibc declares only with _GNU_SOURCE.
static inline const void *sonde_find_bytes(
    const void *bytes, size_t count, const void *wanted, size_t length) {
  extern void *memmem(const void *, size_t, const void *, size_t);
  return memmem(bytes, count, wanted, length);
}
