#include "CConverterPage.h"

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

converter_file converter_page(void) { return (converter_file){page, sizeof page}; }

converter_file converter_script(void) { return (converter_file){script, sizeof script}; }

converter_file converter_style(void) { return (converter_file){style, sizeof style}; }

converter_file converter_icon(void) { return (converter_file){icon, sizeof icon}; }
