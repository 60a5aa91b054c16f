"""Writes a database in libloc's own format with the library's writer, called through ctypes.

https://man-pages.ipfire.org/libloc/location.html; the file has no signature.
"""

import ctypes

FLAGS = {"anonymous_proxy": 1, "satellite": 2, "anycast": 4, "drop": 8}

NETWORKS = {
    "8.8.8.0/24": ("US", 15169, ["anycast"]),
    "5.0.0.0/8": ("DE", 3320, []),
    "5.6.7.0/24": ("FR", 3215, []),
    "9.0.0.0/8": ("US", 0, []),
    "81.2.64.0/18": ("GB", 20712, []),
    "2001:4860::/32": ("US", 15169, []),
    "2606:4700::/32": ("", 13335, []),
}
SYSTEMS = {
    15169: "GOOGLE",
    3320: "Deutsche Telekom AG",
    3215: "Orange, S.A.",
    20712: "Andrews & Arnold Ltd",
    13335: "CLOUDFLARENET",
}
COUNTRIES = {
    "US": ("NA", "United States"),
    "DE": ("EU", "Germany"),
    "FR": ("EU", "France"),
    "GB": ("EU", "United Kingdom"),
}


def write(path):
    """Writes a database of the networks above."""
    loc = ctypes.CDLL("libloc.so.1")
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]

    def make(function, *arguments):
        made = ctypes.c_void_p()
        if function(*arguments[:1], ctypes.byref(made), *arguments[1:]) != 0:
            raise OSError(f"{function.__name__} failed")
        return made

    context = ctypes.c_void_p()
    if loc.loc_new(ctypes.byref(context)) != 0:
        raise OSError("loc_new failed")
    writer = make(loc.loc_writer_new, context, None, None)
    loc.loc_writer_set_vendor(writer, b"Sonde's tests")
    for prefix, (country, number, flags) in NETWORKS.items():
        network = make(loc.loc_writer_add_network, writer, prefix.encode())
        if country:
            loc.loc_network_set_country_code(network, country.encode())
        loc.loc_network_set_asn(network, ctypes.c_uint32(number))
        for flag in flags:
            loc.loc_network_set_flag(network, ctypes.c_uint32(FLAGS[flag]))
    for number, name in sorted(SYSTEMS.items()):
        system = make(loc.loc_writer_add_as, writer, ctypes.c_uint32(number))
        loc.loc_as_set_name(system, name.encode())
    for code, (continent, name) in sorted(COUNTRIES.items()):
        country = make(loc.loc_writer_add_country, writer, code.encode())
        loc.loc_country_set_continent_code(country, continent.encode())
        loc.loc_country_set_name(country, name.encode())
    file = ctypes.c_void_p(libc.fopen(str(path).encode(), b"w+"))
    result = loc.loc_writer_write(writer, file, 1)
    libc.fclose(file)
    if result != 0:
        raise OSError("loc_writer_write failed")
    return path
