// What Sonde's pages are made of, as bytes in the binary.
#pragma once

#include <stddef.h>

// Bytes that are always there.
typedef struct {
  const unsigned char *bytes;
  size_t count;
} sonde_asset;

// Colours, type and spacing, as custom properties of CSS.
sonde_asset sonde_theme(void);

// The world's outlines and its countries' points, as JSON: see Tests/Outlines.
sonde_asset sonde_outlines(void);

// The page of a summary: HTML with places for what is put into it, its style sheet and its script.
sonde_asset sonde_page_template(void);
sonde_asset sonde_page_style(void);
sonde_asset sonde_page_script(void);

// The page of outages, whose style is that of a summary's page and this.
sonde_asset sonde_outages_template(void);
sonde_asset sonde_outages_script(void);
sonde_asset sonde_outages_style(void);
