// The design system of Sonde's pages: its style sheet, fonts and switch "Theme", for the samples' pages.
#pragma once

static const unsigned char design_style[] = {
#embed "../../Sources/CSondePageAssets/Resources/theme.css"
    ,
#embed "../../Sources/CSondePageAssets/Resources/shared.css"
    ,
#embed "../../Sources/CSondeDashboardAssets/Resources/base.css"
    ,
#embed "../../Sources/CSondeDashboardAssets/Resources/controls.css"
    ,
#embed "../../Sources/CSondeDashboardAssets/Resources/header.css"
    ,
#embed "../../Sources/CSondeDashboardAssets/Resources/log-in.css"
};

static const unsigned char design_early[] = {
#embed "../../Sources/CSondeDashboardAssets/Resources/early.js"
};

static const unsigned char design_theme_switch[] = {
#embed "../../Sources/CSondeDashboardAssets/Resources/theme-switch.js"
};

static const unsigned char design_latin[] = {
#embed "../../Sources/CSondeDashboardAssets/Resources/montserrat-latin.woff2"
};

static const unsigned char design_latin_ext[] = {
#embed "../../Sources/CSondeDashboardAssets/Resources/montserrat-latin-ext.woff2"
};

static const unsigned char design_licence[] = {
#embed "../../Sources/CSondeDashboardAssets/Resources/montserrat-licence.txt"
};

#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define PICTURE "image/svg+xml"

// Rows of a sample's table of files: path, type, bytes and their number.
#define DESIGN_FILES                                                                               \
  {"/design.css", STYLE, design_style, sizeof design_style},                                       \
      {"/early.js", SCRIPT, design_early, sizeof design_early},                                    \
      {"/theme-switch.js", SCRIPT, design_theme_switch, sizeof design_theme_switch},               \
      {"/montserrat-latin.woff2", "font/woff2", design_latin, sizeof design_latin},                \
      {"/montserrat-latin-ext.woff2", "font/woff2", design_latin_ext, sizeof design_latin_ext}, {  \
    "/montserrat-licence.txt", "text/plain; charset=utf-8", design_licence, sizeof design_licence  \
  }
