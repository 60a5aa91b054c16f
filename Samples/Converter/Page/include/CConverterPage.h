// The files that the converter's page is made of, as bytes in the binary.
#pragma once

#include <stddef.h>

typedef struct {
  const char *path;
  const char *type;
  const unsigned char *bytes;
  size_t count;
} converter_file;

converter_file converter_page(void);

// The files beside the page.
size_t converter_file_count(void);
converter_file converter_file_at(size_t index);
