#pragma once
#include "../CSondeLoading/loading.h"
#include <stddef.h>
#include <stdint.h>

// What is used of sd-journal(3). It is declared here, so that a build needs no libsystemd-dev.
typedef struct sd_journal sd_journal;
int sd_journal_open(sd_journal *_Nullable *_Nonnull journal, int flags);
void sd_journal_close(sd_journal *_Nullable journal);
int sd_journal_add_match(sd_journal *_Nonnull journal, const void *_Nonnull data, size_t size);
int sd_journal_add_disjunction(sd_journal *_Nonnull journal);
int sd_journal_has_runtime_files(sd_journal *_Nonnull journal);
int sd_journal_has_persistent_files(sd_journal *_Nonnull journal);
int sd_journal_set_data_threshold(sd_journal *_Nonnull journal, size_t size);
int sd_journal_seek_head(sd_journal *_Nonnull journal);
int sd_journal_seek_tail(sd_journal *_Nonnull journal);
int sd_journal_seek_cursor(sd_journal *_Nonnull journal, const char *_Nonnull cursor);
int sd_journal_test_cursor(sd_journal *_Nonnull journal, const char *_Nonnull cursor);
int sd_journal_get_cursor(sd_journal *_Nonnull journal, char *_Nullable *_Nonnull cursor);
int sd_journal_next(sd_journal *_Nonnull journal);
int sd_journal_previous(sd_journal *_Nonnull journal);
int sd_journal_get_data(sd_journal *_Nonnull journal, const char *_Nonnull field,
                        const void *_Nullable *_Nonnull data, size_t *_Nonnull size);
int sd_journal_get_realtime_usec(sd_journal *_Nonnull journal, uint64_t *_Nonnull time);
int sd_journal_get_fd(sd_journal *_Nonnull journal);
int sd_journal_process(sd_journal *_Nonnull journal);

#define SONDE_SD_JOURNAL_LOCAL_ONLY 1

#define SONDE_JOURNAL_LIST(F)            \
  F(sd_journal_open)                     \
  F(sd_journal_close)                    \
  F(sd_journal_add_match)                \
  F(sd_journal_add_disjunction)          \
  F(sd_journal_has_runtime_files)        \
  F(sd_journal_has_persistent_files)     \
  F(sd_journal_set_data_threshold)       \
  F(sd_journal_seek_head)                \
  F(sd_journal_seek_tail)                \
  F(sd_journal_seek_cursor)              \
  F(sd_journal_test_cursor)              \
  F(sd_journal_get_cursor)               \
  F(sd_journal_next)                     \
  F(sd_journal_previous)                 \
  F(sd_journal_get_data)                 \
  F(sd_journal_get_realtime_usec)        \
  F(sd_journal_get_fd)                   \
  F(sd_journal_process)
SONDE_FUNCTIONS(sonde_journal, SONDE_JOURNAL_LIST)
