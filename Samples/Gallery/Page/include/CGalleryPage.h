// The files that the gallery's page is made of, as bytes in the binary.
#pragma once

#include <stddef.h>

typedef struct {
  const unsigned char *bytes;
  size_t count;
} gallery_file;

gallery_file gallery_page(void);
gallery_file gallery_script(void);
gallery_file gallery_style(void);
gallery_file gallery_icon(void);
