#include "CConverterPage.h"
#include "../../Design/design.h"

static const unsigned char page[] = {
#embed "Resources/index.html"
};

static const unsigned char script[] = {
#embed "Resources/converter.js"
};

static const unsigned char style[] = {
#embed "Resources/converter.css"
};

static const unsigned char icon[] = {
#embed "Resources/icon.svg"
};

static const converter_file files[] = {
    {"/converter.js", SCRIPT, script, sizeof script},
    {"/converter.css", STYLE, style, sizeof style},
    {"/icon.svg", PICTURE, icon, sizeof icon},
    DESIGN_FILES,
};

converter_file converter_page(void) {
  return (converter_file){"/", "text/html; charset=utf-8", page, sizeof page};
}

size_t converter_file_count(void) { return sizeof files / sizeof files[0]; }

converter_file converter_file_at(size_t index) { return files[index]; }
