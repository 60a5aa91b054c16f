#pragma once
#include <libloc/libloc.h>
