// The files that the converter's page is made of, as bytes in the binary.
#pragma once

#include <stddef.h>

typedef struct {
  const unsigned char *bytes;
  size_t count;
} converter_file;

converter_file converter_page(void);
converter_file converter_script(void);
converter_file converter_style(void);
converter_file converter_icon(void);
