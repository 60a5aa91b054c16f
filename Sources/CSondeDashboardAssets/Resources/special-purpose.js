// The blocks of addresses that are no host on the public Internet, as Sonde's own table has them: the IANA special-purpose registries.

import { parseItem } from "./addresses.js";

/** @import { Address } from "./addresses.js" */

/** A row: the block, its name, its document; those with a `+` before them are asked about all the same. */
const ROWS = `
0.0.0.0/8 This network (RFC 791)
0.0.0.0/32 This host on this network (RFC 1122)
10.0.0.0/8 Private-Use (RFC 1918)
100.64.0.0/10 Shared Address Space (RFC 6598)
127.0.0.0/8 Loopback (RFC 1122)
169.254.0.0/16 Link Local (RFC 3927)
172.16.0.0/12 Private-Use (RFC 1918)
192.0.0.0/24 IETF Protocol Assignments (RFC 6890)
192.0.0.0/29 IPv4 Service Continuity Prefix (RFC 7335)
192.0.0.8/32 IPv4 dummy address (RFC 7600)
+192.0.0.9/32
+192.0.0.10/32
192.0.0.170/32 NAT64/DNS64 Discovery (RFC 8880)
192.0.0.171/32 NAT64/DNS64 Discovery (RFC 8880)
192.0.2.0/24 Documentation (TEST-NET-1) (RFC 5737)
192.88.99.2/32 6a44-relay anycast address (RFC 6751)
192.168.0.0/16 Private-Use (RFC 1918)
198.18.0.0/15 Benchmarking (RFC 2544)
198.51.100.0/24 Documentation (TEST-NET-2) (RFC 5737)
203.0.113.0/24 Documentation (TEST-NET-3) (RFC 5737)
240.0.0.0/4 Reserved (RFC 1112)
255.255.255.255/32 Limited Broadcast (RFC 919)
224.0.0.0/4 Multicast (RFC 5771)
::1/128 Loopback Address (RFC 4291)
::/128 Unspecified Address (RFC 4291)
64:ff9b:1::/48 IPv4-IPv6 Translation (RFC 8215)
100::/64 Discard-Only Address Block (RFC 6666)
100:0:0:1::/64 Dummy IPv6 Prefix (RFC 9780)
2001::/23 IETF Protocol Assignments (RFC 2928)
+2001::/32
+2001:1::1/128
+2001:1::2/128
+2001:1::3/128
2001:2::/48 Benchmarking (RFC 5180)
+2001:3::/32
+2001:4:112::/48
+2001:10::/28
+2001:20::/28
+2001:30::/28
2001:db8::/32 Documentation (RFC 3849)
3fff::/20 Documentation (RFC 9637)
5f00::/16 Segment Routing (SRv6) SIDs (RFC 9602)
fc00::/7 Unique-Local (RFC 4193)
fe80::/10 Link-Local Unicast (RFC 4291)
fec0::/10 Site-Local Unicast (deprecated) (RFC 3879)
ff00::/8 Multicast (RFC 4291)
`;

/**
 * A block, and what is said of it; `null` of one that is asked about.
 * @typedef {{ first: bigint, last: bigint, message: string | null }} Block
 */

/** @type {Block[] | undefined} */
let blocks;

/** The blocks, the most specific first. */
function allBlocks() {
  blocks ??= ROWS.trim().split("\n").flatMap((row) => {
    const item = parseItem(row.split(" ", 1)[0].replace("+", ""));
    if (item?.sort !== "block") return [];
    return [{ first: item.first.number, last: item.last.number, message: row.startsWith("+") ? null : row }];
  }).toSorted((one, other) => (one.last - one.first < other.last - other.first ? -1 : 1));
  return blocks;
}

/**
 * The special-purpose block that keeps an address from being asked about, in words; `null` for an address to ask.
 * @param {Address} address
 */
export function specialPurpose({ number }) {
  return allBlocks().find(({ first, last }) => first <= number && number <= last)?.message ?? null;
}
