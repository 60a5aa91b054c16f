#include "CGalleryPage.h"

static const unsigned char page[] = {
#embed "Resources/index.html"
};

static const unsigned char script[] = {
#embed "Resources/gallery.js"
};

static const unsigned char style[] = {
#embed "Resources/gallery.css"
};

static const unsigned char icon[] = {
#embed "Resources/icon.svg"
};

gallery_file gallery_page(void) { return (gallery_file){page, sizeof page}; }

gallery_file gallery_script(void) { return (gallery_file){script, sizeof script}; }

gallery_file gallery_style(void) { return (gallery_file){style, sizeof style}; }

gallery_file gallery_icon(void) { return (gallery_file){icon, sizeof icon}; }
