#include "CPageAssets.h"

#define ASSET(name)                                                                                \
  sonde_asset sonde_##name(void) { return (sonde_asset){name, sizeof name}; }

static const unsigned char theme[] = {
#embed "Resources/theme.css"
};
ASSET(theme)

static const unsigned char outlines[] = {
#embed "Resources/outlines.json"
};
ASSET(outlines)

static const unsigned char page_template[] = {
#embed "Resources/head.html"
    ,
#embed "Resources/page.html"
    ,
#embed "Resources/foot.html"
};
ASSET(page_template)

static const unsigned char page_style[] = {
#embed "Resources/shared.css"
    ,
#embed "Resources/layout.css"
    ,
#embed "Resources/figures.css"
    ,
#embed "Resources/tables.css"
    ,
#embed "Resources/adapting.css"
};
ASSET(page_style)

static const unsigned char outages_template[] = {
#embed "Resources/head.html"
    ,
#embed "Resources/outages.html"
    ,
#embed "Resources/foot.html"
};
ASSET(outages_template)

static const unsigned char outages_style[] = {
#embed "Resources/outages.css"
};
ASSET(outages_style)

static const unsigned char outages_script[] = {
#embed "Resources/elements.js"
    ,
#embed "Resources/outages.js"
};
ASSET(outages_script)

static const unsigned char page_script[] = {
#embed "Resources/elements.js"
    ,
#embed "Resources/map.js"
    ,
#embed "Resources/chart.js"
    ,
#embed "Resources/choices.js"
    ,
#embed "Resources/chosen.js"
    ,
#embed "Resources/tables.js"
    ,
#embed "Resources/page.js"
};
ASSET(page_script)
