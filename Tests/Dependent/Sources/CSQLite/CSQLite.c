#include "CSQLite.h"

int own_version(void) { return 7; }
