#include "CGalleryPage.h"
#include "../../Design/design.h"

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

static const gallery_file files[] = {
    {"/gallery.js", SCRIPT, script, sizeof script},
    {"/gallery.css", STYLE, style, sizeof style},
    {"/icon.svg", PICTURE, icon, sizeof icon},
    DESIGN_FILES,
};

gallery_file gallery_page(void) {
  return (gallery_file){"/", "text/html; charset=utf-8", page, sizeof page};
}

size_t gallery_file_count(void) { return sizeof files / sizeof files[0]; }

gallery_file gallery_file_at(size_t index) { return files[index]; }
