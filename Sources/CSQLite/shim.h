#pragma once
#include <sqlite3.h>

// `sqlite3_db_config` is variadic and `SQLITE_STATIC` a cast: Swift imports neither.

static inline int sonde_sqlite_set_switch(sqlite3 *handle, int option, int value) {
  return sqlite3_db_config(handle, option, value, (int *)0);
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
