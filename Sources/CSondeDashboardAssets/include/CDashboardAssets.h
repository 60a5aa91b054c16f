// The files that the dashboard's page is made of, as bytes in the binary.
#pragma once

#include <stddef.h>

// A file: its name in the folder of assets, what it is (a media type), and its bytes, which are always there.
typedef struct {
  const char *name;
  const char *type;
  const unsigned char *bytes;
  size_t count;
} sonde_dashboard_asset;

// How many files there are, without the page itself.
size_t sonde_dashboard_asset_count(void);

// One of them.
sonde_dashboard_asset sonde_dashboard_asset_at(size_t index);

// The page that all views' paths answer: HTML with places for what is put into it, `{{base}}`, `{{assets}}`,
// `{{providers}}`, `{{notice}}`, `{{team}}` and `{{live}}`, each within the quotes of an attribute.
sonde_dashboard_asset sonde_dashboard_page(void);

// The description of the HTTP API (OpenAPI 3.1).
sonde_dashboard_asset sonde_dashboard_api(void);
