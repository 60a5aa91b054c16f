// swift-tools-version:6.2
import PackageDescription

/// A C library of the system: its module map and shim lie in `Sources/<name>`.
func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
  name: "sonde",
  products: [
    .library(name: "System", targets: ["System"]),
    .library(name: "Addresses", targets: ["Addresses"]),
    .library(name: "Records", targets: ["Records"]),
    .library(name: "Tables", targets: ["Tables"]),
    .library(name: "Names", targets: ["Names"]),
    .library(name: "Reachability", targets: ["Reachability"]),
    .library(name: "Transfer", targets: ["Transfer"]),
    .library(name: "Providers", targets: ["Providers"]),
    .library(name: "Store", targets: ["Store"]),
    .library(name: "Accounts", targets: ["Accounts"]),
    .library(name: "Summary", targets: ["Summary"]),
    .library(name: "Page", targets: ["Page"]),
    .library(name: "Scanner", targets: ["Scanner"]),
    .library(name: "Web", targets: ["Web"]),
    .library(name: "WebApp", targets: ["WebApp"]),
    .library(name: "Dashboard", targets: ["Dashboard"]),
    .executable(name: "sonde", targets: ["sonde"]),
    // Preloaded into what is measured.
    .library(name: "AllocationCount", type: .dynamic, targets: ["AllocationCount"]),
  ],
  targets: [
    // Loaded when they are first needed; pkg-config would link them.
    system("CCurl", apt: "libcurl4-openssl-dev"),
    system("CPcap", apt: "libpcap-dev"),
    system("CLoc", apt: "libloc-dev"),
    system("CMaxMindDB", apt: "libmaxminddb-dev"),
    system("CMicroHTTPD", apt: "libmicrohttpd-dev"),
    system("CHiredis", apt: "libhiredis-dev"),
    system("CAres", apt: "libc-ares-dev"),
    system("CLzma", apt: "liblzma-dev"),
    system("CBzip2", apt: "libbz2-dev"),
    // Linked.
    .systemLibrary(name: "CNetlink"),
    .systemLibrary(name: "CProcessors"),
    .systemLibrary(name: "CSpawn"),
    .systemLibrary(name: "CMalloc"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
    .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CByteMasks"),

    .target(name: "System", dependencies: ["CSodium", "CMalloc"]),
    .target(name: "Addresses", dependencies: ["CByteMasks"]),
    .target(name: "Records", dependencies: ["Addresses"]),
    .target(name: "Tables", dependencies: ["Addresses"]),
    .target(name: "Names", dependencies: ["System", "Addresses", "CAres"]),
    .target(name: "Pcap", dependencies: ["System", "Addresses", "CPcap"]),
    .target(name: "Reachability", dependencies: ["System", "Pcap", "CNetlink"]),
    .target(name: "Transfer", dependencies: ["System", "CCurl"]),
    .target(
      name: "Providers",
      dependencies: [
        "System", "Addresses", "Records", "Tables", "Transfer", "CSimdJSON", "CLoc",
        "CMaxMindDB",
      ]
    ),
    .target(name: "SQLite", dependencies: ["System", "CSQLite"]),
    .target(name: "Redis", dependencies: ["System", "CHiredis"]),
    .target(
      name: "Store",
      dependencies: ["System", "Addresses", "Records", "SQLite", "Redis"]
    ),
    .target(name: "Accounts", dependencies: ["System", "SQLite", "CSodium"]),
    .target(name: "Summary", dependencies: ["Addresses", "Records"]),
    .target(name: "CPageAssets", exclude: ["Resources"]),
    .target(name: "CDashboardAssets", exclude: ["Resources"]),
    .target(name: "Page", dependencies: ["System", "Records", "Summary", "CPageAssets"]),
    .target(
      name: "Scanner",
      dependencies: [
        "System", "Addresses", "Records", "Reachability", "Transfer", "Providers", "SQLite",
        "Store", "Pcap", "Summary", "Tables", "Names", "CZlib", "CZstd", "CLzma", "CBzip2",
        "CProcessors",
        "CByteMasks",
      ]
    ),
    .target(name: "Web", dependencies: ["System", "CMicroHTTPD", "CZlib"]),
    .target(
      name: "WebApp",
      dependencies: ["System", "Records", "Reachability", "Transfer", "Web", "Accounts"]
    ),
    .target(
      name: "Dashboard",
      dependencies: [
        "System", "Addresses", "Records", "Reachability", "Providers", "SQLite", "Store", "Summary",
        "Page", "Scanner", "Web", "Accounts", "WebApp", "CDashboardAssets",
      ]
    ),
    .executableTarget(
      name: "sonde",
      dependencies: [
        "System", "Addresses", "Records", "Reachability", "Transfer", "Providers", "Redis",
        "Store", "Summary", "Page", "Names", "Scanner", "Dashboard", "Accounts", "Web", "CSpawn",
        "CMalloc",
      ],
      linkerSettings: [
        // For the time to start: the Swift runtime is linked statically, every symbol is found at once,
        // and Swift's own linker packs what the loader must adjust (glibc 2.36 or later).
        .unsafeFlags(
          [
            "-static-stdlib", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "now",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
          ],
          .when(configuration: .release)
        )
      ]
    ),

    .target(name: "CConverterPage", path: "Samples/Converter/Page", exclude: ["Resources"]),
    .executableTarget(
      name: "converter",
      dependencies: [
        "System", "Reachability", "Transfer", "Accounts", "Web", "WebApp", "CConverterPage",
      ],
      path: "Samples/Converter",
      exclude: ["Page"]
    ),
    .target(name: "CGalleryPage", path: "Samples/Gallery/Page", exclude: ["Resources"]),
    .executableTarget(
      name: "gallery",
      dependencies: [
        "System", "Addresses", "Reachability", "Transfer", "Accounts", "Web", "WebApp",
        "CGalleryPage",
      ],
      path: "Samples/Gallery",
      exclude: ["Page"]
    ),

    .target(name: "TestSupport", dependencies: ["System", "Addresses"], path: "Tests/Support"),
    .testTarget(name: "SystemTests", dependencies: ["System"]),
    .testTarget(name: "AddressesTests", dependencies: ["Addresses"], exclude: ["oracle.py"]),
    .testTarget(name: "RecordsTests", dependencies: ["Records"]),
    .testTarget(name: "TablesTests", dependencies: ["Addresses", "Tables"]),
    .testTarget(name: "NamesTests", dependencies: ["System", "Addresses", "Names"]),
    .executableTarget(
      name: "ReachabilityProbe",
      dependencies: ["Reachability"],
      path: "Tests/ReachabilityProbe"
    ),
    .testTarget(
      name: "ReachabilityTests",
      dependencies: ["System", "Reachability", "ReachabilityProbe"]
    ),
    .testTarget(name: "TransferTests", dependencies: ["Transfer"]),
    .testTarget(
      name: "ProvidersTests",
      dependencies: ["System", "Addresses", "Records", "Tables", "Transfer", "Providers", "CLoc"],
      // Which writes the databases.
      linkerSettings: [.linkedLibrary("loc")]
    ),
    .executableTarget(
      name: "StoreProbe",
      dependencies: ["Addresses", "Records", "Store"],
      path: "Tests/StoreProbe"
    ),
    .testTarget(
      name: "StoreTests",
      dependencies: [
        "System", "Addresses", "Records", "Redis", "Store", "StoreProbe", "CSQLite",
      ]
    ),
    .executableTarget(
      name: "AccountsProbe",
      dependencies: ["Accounts"],
      path: "Tests/AccountsProbe"
    ),
    .testTarget(
      name: "AccountsTests",
      dependencies: ["System", "SQLite", "Accounts", "AccountsProbe"]
    ),
    .testTarget(name: "PageTests", dependencies: ["Page", "Summary"]),
    .testTarget(name: "SummaryTests", dependencies: ["System", "Addresses", "Records", "Summary"]),
    .testTarget(
      name: "ScannerTests",
      dependencies: ["System", "Addresses", "Tables", "Names", "Store", "Scanner"],
      // Which pack what is read.
      linkerSettings: [.linkedLibrary("bz2"), .linkedLibrary("lzma")]
    ),
    .testTarget(name: "WebTests", dependencies: ["System", "Web"]),
    .testTarget(
      name: "WebAppTests",
      dependencies: ["Reachability", "Transfer", "Accounts", "Web", "WebApp"]
    ),
    .executableTarget(name: "WebProbe", dependencies: ["System", "Web"], path: "Tests/WebProbe"),
    .testTarget(
      name: "DashboardTests",
      dependencies: [
        "System", "Addresses", "Records", "Providers", "Transfer", "SQLite", "Store", "Scanner",
        "Dashboard",
      ]
    ),
    .testTarget(name: "CommandTests", dependencies: ["sonde"]),
    .testTarget(
      name: "ConverterTests",
      dependencies: ["System", "converter"],
      exclude: ["oracle.py"]
    ),
    .testTarget(name: "GalleryTests", dependencies: ["Transfer", "Web", "gallery"]),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "System", "Addresses", "Records", "Reachability", "Transfer", "Providers", "Store",
        "Summary", "Page", "Tables", "Names", "Scanner", "Dashboard", "Accounts", "Web", "WebApp",
      ]
    ),

    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "System", "Addresses", "Records", "Tables", "Names", "Pcap", "Transfer", "Providers",
        "Redis", "Store", "Scanner", "TestSupport",
      ],
      path: "Tests/Fuzz",
      exclude: ["Corpus"]
    ),
    .testTarget(name: "FuzzTests", dependencies: ["System", "Fuzz"]),

    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "TestSupport", "AllocationCount", "Addresses", "Records", "Transfer", "Providers", "Redis",
        "Store", "Names", "Scanner",
      ],
      path: "Tests/Benchmarks",
      exclude: ["RESULTS.md", "page.py", "Server", "Allocations"]
    ),
    .target(name: "AllocationCount", path: "Tests/Benchmarks/Allocations"),
    .executableTarget(name: "BenchmarkServer", path: "Tests/Benchmarks/Server"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x,
  cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type == .test { target.dependencies += ["TestSupport"] }

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .treatWarning("DeprecatedDeclaration", as: .warning),
  ]
  target.cSettings = [.enableWarning("all"), .treatAllWarnings(as: .error)]
  target.cxxSettings = [.enableWarning("all"), .treatAllWarnings(as: .error)]
}
