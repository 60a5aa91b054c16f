#pragma once
// The kernel's own words for links, addresses and routes: netlink(7), rtnetlink(7).
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
