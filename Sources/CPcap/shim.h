#pragma once
#include "../CLoading/loading.h"
#include <pcap/pcap.h>

#define SONDE_PCAP_LIST(F) \
  F(pcap_findalldevs)      \
  F(pcap_freealldevs)
SONDE_FUNCTIONS(sonde_pcap, SONDE_PCAP_LIST)
