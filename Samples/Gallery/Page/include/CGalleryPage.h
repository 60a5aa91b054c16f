// The files that the gallery's page is made of, as bytes in the binary.
#pragma once

#include <stddef.h>

typedef struct {
  const char *path;
  const char *type;
  const unsigned char *bytes;
  size_t count;
} gallery_file;

gallery_file gallery_page(void);

// The files beside the page.
size_t gallery_file_count(void);
gallery_file gallery_file_at(size_t index);
