#include "CDashboardAssets.h"

static const unsigned char page[] = {
#embed "Resources/index.html"
};

static const unsigned char api[] = {
#embed "Resources/openapi.json"
};

static const unsigned char theme_css[] = {
#embed "Resources/theme.css"
};

static const unsigned char style_css[] = {
#embed "Resources/shared.css"
    ,
#embed "Resources/base.css"
    ,
#embed "Resources/controls.css"
    ,
#embed "Resources/header.css"
    ,
#embed "Resources/log-in.css"
    ,
#embed "Resources/lookup.css"
    ,
#embed "Resources/map.css"
    ,
#embed "Resources/narrow.css"
};

// What the first view does not need.
static const unsigned char views_css[] = {
#embed "Resources/tables.css"
    ,
#embed "Resources/scans.css"
    ,
#embed "Resources/records.css"
    ,
#embed "Resources/network.css"
    ,
#embed "Resources/live.css"
    ,
#embed "Resources/team.css"
};

static const unsigned char icon_svg[] = {
#embed "Resources/icon.svg"
};

// Made by Tests/Fonts.
static const unsigned char montserrat_latin_woff2[] = {
#embed "Resources/montserrat-latin.woff2"
};

static const unsigned char montserrat_latin_ext_woff2[] = {
#embed "Resources/montserrat-latin-ext.woff2"
};

static const unsigned char montserrat_licence_txt[] = {
#embed "Resources/montserrat-licence.txt"
};

static const unsigned char outlines_json[] = {
#embed "Resources/outlines.json"
};

static const unsigned char account_view_js[] = {
#embed "Resources/account-view.js"
};

static const unsigned char api_js[] = {
#embed "Resources/api.js"
};

static const unsigned char banner_js[] = {
#embed "Resources/banner.js"
};

static const unsigned char cache_view_js[] = {
#embed "Resources/cache-view.js"
};

static const unsigned char check_js[] = {
#embed "Resources/check.js"
};

static const unsigned char condition_bar_js[] = {
#embed "Resources/condition-bar.js"
};

static const unsigned char conditions_js[] = {
#embed "Resources/conditions.js"
};

static const unsigned char confirming_js[] = {
#embed "Resources/confirming.js"
};

static const unsigned char connection_js[] = {
#embed "Resources/connection.js"
};

static const unsigned char controls_js[] = {
#embed "Resources/controls.js"
};

static const unsigned char drop_js[] = {
#embed "Resources/drop.js"
};

static const unsigned char early_js[] = {
#embed "Resources/early.js"
};

static const unsigned char elements_js[] = {
#embed "Resources/elements.js"
};

static const unsigned char errors_js[] = {
#embed "Resources/errors.js"
};

static const unsigned char field_js[] = {
#embed "Resources/field.js"
};

static const unsigned char fields_js[] = {
#embed "Resources/fields.js"
};

static const unsigned char icons_js[] = {
#embed "Resources/icons.js"
};

static const unsigned char layers_js[] = {
#embed "Resources/layers.js"
};

static const unsigned char live_js[] = {
#embed "Resources/live.js"
};

static const unsigned char live_view_js[] = {
#embed "Resources/live-view.js"
};

static const unsigned char loading_js[] = {
#embed "Resources/loading.js"
};

static const unsigned char log_in_js[] = {
#embed "Resources/log-in.js"
};

static const unsigned char lookup_view_js[] = {
#embed "Resources/lookup-view.js"
};

static const unsigned char losses_js[] = {
#embed "Resources/losses.js"
};

static const unsigned char main_js[] = {
#embed "Resources/main.js"
};

static const unsigned char network_history_js[] = {
#embed "Resources/network-history.js"
};

static const unsigned char network_view_js[] = {
#embed "Resources/network-view.js"
};

static const unsigned char new_scan_js[] = {
#embed "Resources/new-scan.js"
};

static const unsigned char panels_js[] = {
#embed "Resources/panels.js"
};

static const unsigned char paths_js[] = {
#embed "Resources/paths.js"
};

static const unsigned char pins_js[] = {
#embed "Resources/pins.js"
};

static const unsigned char plan_js[] = {
#embed "Resources/plan.js"
};

static const unsigned char record_js[] = {
#embed "Resources/record.js"
};

static const unsigned char record_dialog_js[] = {
#embed "Resources/record-dialog.js"
};

static const unsigned char records_js[] = {
#embed "Resources/records.js"
};

static const unsigned char results_js[] = {
#embed "Resources/results.js"
};

static const unsigned char scan_map_js[] = {
#embed "Resources/scan-map.js"
};

static const unsigned char scan_states_js[] = {
#embed "Resources/scan-states.js"
};

static const unsigned char scan_summary_js[] = {
#embed "Resources/scan-summary.js"
};

static const unsigned char scan_view_js[] = {
#embed "Resources/scan-view.js"
};

static const unsigned char scans_view_js[] = {
#embed "Resources/scans-view.js"
};

static const unsigned char session_js[] = {
#embed "Resources/session.js"
};

static const unsigned char settings_js[] = {
#embed "Resources/settings.js"
};

static const unsigned char sheet_js[] = {
#embed "Resources/sheet.js"
};

static const unsigned char styles_js[] = {
#embed "Resources/styles.js"
};

static const unsigned char tables_js[] = {
#embed "Resources/tables.js"
};

static const unsigned char theme_switch_js[] = {
#embed "Resources/theme-switch.js"
};

static const unsigned char throughput_js[] = {
#embed "Resources/throughput.js"
};

static const unsigned char times_js[] = {
#embed "Resources/times.js"
};

static const unsigned char upload_js[] = {
#embed "Resources/upload.js"
};

static const unsigned char views_js[] = {
#embed "Resources/views.js"
};

static const unsigned char watchlist_view_js[] = {
#embed "Resources/watchlist-view.js"
};

static const unsigned char world_map_js[] = {
#embed "Resources/world-map.js"
};

static const unsigned char world_js[] = {
#embed "Resources/world.js"
};

// From Debian's libjs-leaflet and libjs-dygraphs.
static const unsigned char leaflet_js[] = {
#embed "/usr/share/javascript/leaflet/leaflet.esm.min.js"
};

static const unsigned char leaflet_css[] = {
#embed "/usr/share/javascript/leaflet/leaflet.css"
};

static const unsigned char dygraphs_js[] = {
#embed "/usr/share/javascript/dygraphs/dygraph.min.js"
};

#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define FONT "font/woff2"
#define TEXT "text/plain; charset=utf-8"
#define DATA "application/json"
#define PICTURE "image/svg+xml"

static const sonde_dashboard_asset assets[] = {
    {"theme.css", STYLE, theme_css, sizeof theme_css},
    {"style.css", STYLE, style_css, sizeof style_css},
    {"views.css", STYLE, views_css, sizeof views_css},
    {"icon.svg", PICTURE, icon_svg, sizeof icon_svg},
    {"montserrat-latin.woff2", FONT, montserrat_latin_woff2, sizeof montserrat_latin_woff2},
    {"montserrat-latin-ext.woff2", FONT, montserrat_latin_ext_woff2, sizeof montserrat_latin_ext_woff2},
    {"montserrat-licence.txt", TEXT, montserrat_licence_txt, sizeof montserrat_licence_txt},
    {"outlines.json", DATA, outlines_json, sizeof outlines_json},
    {"account-view.js", SCRIPT, account_view_js, sizeof account_view_js},
    {"api.js", SCRIPT, api_js, sizeof api_js},
    {"banner.js", SCRIPT, banner_js, sizeof banner_js},
    {"cache-view.js", SCRIPT, cache_view_js, sizeof cache_view_js},
    {"check.js", SCRIPT, check_js, sizeof check_js},
    {"condition-bar.js", SCRIPT, condition_bar_js, sizeof condition_bar_js},
    {"conditions.js", SCRIPT, conditions_js, sizeof conditions_js},
    {"confirming.js", SCRIPT, confirming_js, sizeof confirming_js},
    {"connection.js", SCRIPT, connection_js, sizeof connection_js},
    {"controls.js", SCRIPT, controls_js, sizeof controls_js},
    {"drop.js", SCRIPT, drop_js, sizeof drop_js},
    {"early.js", SCRIPT, early_js, sizeof early_js},
    {"elements.js", SCRIPT, elements_js, sizeof elements_js},
    {"errors.js", SCRIPT, errors_js, sizeof errors_js},
    {"field.js", SCRIPT, field_js, sizeof field_js},
    {"fields.js", SCRIPT, fields_js, sizeof fields_js},
    {"icons.js", SCRIPT, icons_js, sizeof icons_js},
    {"layers.js", SCRIPT, layers_js, sizeof layers_js},
    {"live-view.js", SCRIPT, live_view_js, sizeof live_view_js},
    {"live.js", SCRIPT, live_js, sizeof live_js},
    {"loading.js", SCRIPT, loading_js, sizeof loading_js},
    {"log-in.js", SCRIPT, log_in_js, sizeof log_in_js},
    {"lookup-view.js", SCRIPT, lookup_view_js, sizeof lookup_view_js},
    {"losses.js", SCRIPT, losses_js, sizeof losses_js},
    {"main.js", SCRIPT, main_js, sizeof main_js},
    {"network-history.js", SCRIPT, network_history_js, sizeof network_history_js},
    {"network-view.js", SCRIPT, network_view_js, sizeof network_view_js},
    {"new-scan.js", SCRIPT, new_scan_js, sizeof new_scan_js},
    {"panels.js", SCRIPT, panels_js, sizeof panels_js},
    {"paths.js", SCRIPT, paths_js, sizeof paths_js},
    {"pins.js", SCRIPT, pins_js, sizeof pins_js},
    {"plan.js", SCRIPT, plan_js, sizeof plan_js},
    {"record.js", SCRIPT, record_js, sizeof record_js},
    {"record-dialog.js", SCRIPT, record_dialog_js, sizeof record_dialog_js},
    {"records.js", SCRIPT, records_js, sizeof records_js},
    {"results.js", SCRIPT, results_js, sizeof results_js},
    {"scan-map.js", SCRIPT, scan_map_js, sizeof scan_map_js},
    {"scan-states.js", SCRIPT, scan_states_js, sizeof scan_states_js},
    {"scan-summary.js", SCRIPT, scan_summary_js, sizeof scan_summary_js},
    {"scan-view.js", SCRIPT, scan_view_js, sizeof scan_view_js},
    {"scans-view.js", SCRIPT, scans_view_js, sizeof scans_view_js},
    {"session.js", SCRIPT, session_js, sizeof session_js},
    {"settings.js", SCRIPT, settings_js, sizeof settings_js},
    {"sheet.js", SCRIPT, sheet_js, sizeof sheet_js},
    {"styles.js", SCRIPT, styles_js, sizeof styles_js},
    {"tables.js", SCRIPT, tables_js, sizeof tables_js},
    {"theme-switch.js", SCRIPT, theme_switch_js, sizeof theme_switch_js},
    {"throughput.js", SCRIPT, throughput_js, sizeof throughput_js},
    {"times.js", SCRIPT, times_js, sizeof times_js},
    {"upload.js", SCRIPT, upload_js, sizeof upload_js},
    {"views.js", SCRIPT, views_js, sizeof views_js},
    {"watchlist-view.js", SCRIPT, watchlist_view_js, sizeof watchlist_view_js},
    {"world-map.js", SCRIPT, world_map_js, sizeof world_map_js},
    {"world.js", SCRIPT, world_js, sizeof world_js},
    {"leaflet.js", SCRIPT, leaflet_js, sizeof leaflet_js},
    {"leaflet.css", STYLE, leaflet_css, sizeof leaflet_css},
    {"dygraphs.js", SCRIPT, dygraphs_js, sizeof dygraphs_js},
};

size_t sonde_dashboard_asset_count(void) { return sizeof assets / sizeof assets[0]; }

sonde_dashboard_asset sonde_dashboard_asset_at(size_t index) { return assets[index]; }

sonde_dashboard_asset sonde_dashboard_page(void) {
  return (sonde_dashboard_asset){"index.html", "text/html; charset=utf-8", page, sizeof page};
}

sonde_dashboard_asset sonde_dashboard_api(void) {
  return (sonde_dashboard_asset){"openapi.json", "application/json", api, sizeof api};
}
