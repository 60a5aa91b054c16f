#pragma once
// A library that is loaded when it is first needed: its functions are named once, in a macro LIST(F)
// that is F(name) for each, and the compiler takes their types from the library's own header.

#define SONDE_MEMBER(name) __typeof__(name) *_Nonnull name;
#define SONDE_NAME(name) #name,

/// Declares a table of the functions, and what gives their names in the same order.
#define SONDE_FUNCTIONS(table, LIST)                                         \
  typedef struct {                                                           \
    LIST(SONDE_MEMBER)                                                       \
  } table;                                                                   \
  static inline const char *_Nonnull const *_Nonnull table##_names(void) {   \
    static const char *_Nonnull const names[] = {LIST(SONDE_NAME)};          \
    return names;                                                            \
  }
