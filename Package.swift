// swift-tools-version:6.2
import PackageDescription

/// A C library of the system: its module map and shim lie in `Sources/<name>`.
func system(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A program that tests run beside themselves.
func probe(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: "Tests/\(name)")
}

/// A library without files of its own.
func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies)
}

/// Tests without files of their own.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies)
}

let package = Package(
  name: "sonde",
  products: [.executable(name: "sonde", targets: ["sonde"])]
    // For other programs.
    + [
      "SondeAddresses", "SondeReachability", "SondeTransfer", "SondeWeb", "SondeAccounts",
      "SondeWebApp",
    ].map { .library(name: $0, targets: [$0]) },
  targets: [
    // Loaded when they are first needed; pkg-config would link them.
    system("CSondeCurl", apt: "libcurl4-openssl-dev"),
    system("CSondePcap", apt: "libpcap-dev"),
    system("CSondeLoc", apt: "libloc-dev"),
    system("CSondeMaxMindDB", apt: "libmaxminddb-dev"),
    system("CSondeMicroHTTPD", apt: "libmicrohttpd-dev"),
    system("CSondeHiredis", apt: "libhiredis-dev"),
    system("CSondeAres", apt: "libc-ares-dev"),
    system("CSondeLzma", apt: "liblzma-dev"),
    system("CSondeBzip2", apt: "libbz2-dev"),
    system("CSondeCrypto", apt: "libssl-dev"),
    system("CSondePCRE2", apt: "libpcre2-dev"),
    .systemLibrary(name: "CSondeJournal"),
    // Linked.
    .systemLibrary(name: "CSondeNetlink"),
    .systemLibrary(name: "CSondeProcessors"),
    .systemLibrary(name: "CSondeSpawn"),
    .systemLibrary(name: "CSondeMalloc"),
    system("CSondeSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    system("CSondeSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
    system("CSondeZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    system("CSondeZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
    .target(name: "CSondeSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "CSondeByteMasks"),
    .target(name: "SondeSystem", dependencies: ["CSondeSodium", "CSondeMalloc"]),
    .target(name: "SondeAddresses", dependencies: ["CSondeByteMasks"]),
    .target(name: "SondePrivacy", dependencies: ["SondeSystem", "SondeAddresses", "CSondeCrypto"]),
    .target(name: "SondeRecords", dependencies: ["SondeSystem", "SondeAddresses", "SondePrivacy"]),
    library("SondeCatalog", ["SondeAddresses", "SondeRecords", "SondeSystem"]),
    .target(name: "SondeTables", dependencies: ["SondeAddresses"]),
    .target(name: "SondeNames", dependencies: ["SondeSystem", "SondeAddresses", "CSondeAres"]),
    .target(name: "SondePcap", dependencies: ["SondeSystem", "SondeAddresses", "CSondePcap"]),
    library("SondeReachability", ["SondeSystem", "SondePcap", "CSondeNetlink"]),
    .target(name: "SondeTransfer", dependencies: ["SondeSystem", "CSondeCurl"]),
    library(
      "SondeDatabases",
      [
        "SondeAddresses", "SondeCatalog", "SondeRecords", "SondeSystem", "CSondeLoc",
        "CSondeMaxMindDB",
      ]
    ),
    .target(
      name: "SondeProviders",
      dependencies: [
        "SondeAddresses", "SondeDatabases", "SondeRecords", "SondeSystem", "SondeTables",
        "SondeTransfer", "CSondeSimdJSON",
      ]
    ),
    .target(name: "SondeSQLite", dependencies: ["SondeSystem", "CSondeSQLite"]),
    .target(name: "SondeRedis", dependencies: ["SondeSystem", "CSondeHiredis", "CSondeCrypto"]),
    library(
      "SondeStore",
      ["SondeSystem", "SondeAddresses", "SondeRecords", "SondeSQLite", "SondeRedis"]
    ),
    .target(name: "SondeAccounts", dependencies: ["SondeSystem", "SondeSQLite", "CSondeSodium"]),
    library("SondeSummary", ["SondeAddresses", "SondePrivacy", "SondeRecords", "SondeSystem"]),
    library("SondeBlock", ["SondeAddresses", "SondeRecords", "SondeSystem", "SondeTables"]),
    library("SondeCompare", ["SondeAddresses", "SondeRecords", "SondeSummary"]),
    .target(name: "CSondePageAssets", exclude: ["Resources"]),
    .target(name: "CSondeDashboardAssets", exclude: ["Resources"]),
    library(
      "SondePage",
      ["SondeAlerts", "SondeSystem", "SondeRecords", "SondeSummary", "CSondePageAssets"]
    ),
    .target(
      name: "SondeInputs",
      dependencies: [
        "SondeAddresses", "SondeCatalog", "SondeDatabases", "SondePcap", "SondePrivacy",
        "SondeProviders", "SondeRecords", "SondeSQLite", "SondeSystem", "SondeTables",
        "CSondeByteMasks", "CSondeBzip2", "CSondeLzma", "CSondeZlib", "CSondeZstd",
      ]
    ),
    .target(
      name: "SondeOutputs",
      dependencies: [
        "SondeAddresses", "SondeInputs", "SondeRecords", "SondeSQLite", "SondeStore", "SondeSystem",
        "CSondeZlib", "CSondeZstd",
      ]
    ),
    .target(
      name: "SondeLogs",
      dependencies: [
        "SondeAddresses", "SondeInputs", "SondeOutputs", "SondePcap", "SondePrivacy",
        "SondeRecords", "SondeSystem", "CSondePCRE2", "CSondeProcessors",
      ]
    ),
    .target(
      name: "SondeAsking",
      dependencies: [
        "SondeAddresses", "SondeDatabases", "SondeInputs", "SondeOutputs", "SondeProviders",
        "SondeReachability", "SondeRecords", "SondeStore", "SondeSystem", "SondeTransfer",
      ]
    ),
    .target(
      name: "SondeLists",
      dependencies: [
        "SondeAddresses", "SondeCatalog", "SondeInputs", "SondeProviders", "SondeRecords",
        "SondeSystem", "SondeTables", "SondeTransfer",
      ]
    ),
    .target(
      name: "SondeSources",
      dependencies: [
        "SondeAddresses", "SondeAsking", "SondeCatalog", "SondeDatabases", "SondeInputs",
        "SondeLists", "SondeNames", "SondeProviders", "SondeReachability", "SondeRecords",
        "SondeStore", "SondeSystem", "SondeTables", "SondeTransfer",
      ]
    ),
    .target(
      name: "SondeScanner",
      dependencies: [
        "SondeAddresses", "SondeAsking", "SondeInputs", "SondeLogs", "SondeOutputs",
        "SondeProviders", "SondeRecords", "SondeSources", "SondeStore", "SondeSystem",
      ]
    ),
    .target(
      name: "SondeAnnotate",
      dependencies: [
        "SondeAddresses", "SondeAsking", "SondeDatabases", "SondeInputs", "SondeLogs",
        "SondeOutputs", "SondePrivacy", "SondeRecords", "SondeScanner", "SondeStore", "SondeSystem",
        "CSondeByteMasks",
      ]
    ),
    .target(
      name: "SondeUpgrade",
      dependencies: [
        "SondeAddresses", "SondeAsking", "SondeInputs", "SondeOutputs", "SondeProviders",
        "SondeRecords", "SondeSQLite", "SondeScanner", "SondeSystem",
      ]
    ),
    .target(
      name: "SondeCounting",
      dependencies: [
        "SondeAddresses", "SondeAsking", "SondeBlock", "SondeCompare", "SondeInputs", "SondeLogs",
        "SondeOutputs", "SondeProviders", "SondeRecords", "SondeScanner", "SondeSummary",
        "SondeSystem", "SondeUpgrade",
      ]
    ),
    .target(
      name: "SondeAlerts",
      dependencies: [
        "SondeAsking", "SondeOutputs", "SondeProviders", "SondeReachability", "SondeRecords",
        "SondeSQLite", "SondeStore", "SondeSummary", "SondeSystem", "SondeTransfer", "SondeWeb",
        "CSondeSpawn",
      ]
    ),
    .target(
      name: "SondeOptions",
      dependencies: [
        "SondeAddresses", "SondeBlock", "SondeCatalog", "SondeNames", "SondePrivacy",
        "SondeProviders", "SondeReachability", "SondeRecords", "SondeRedis", "SondeSources",
        "SondeSummary", "SondeSystem", "SondeWeb",
      ]
    ),
    library(
      "SondeDiff",
      ["SondeAddresses", "SondeInputs", "SondeRecords", "SondeSQLite", "SondeSystem"]
    ),
    .target(name: "SondeWeb", dependencies: ["SondeSystem", "CSondeMicroHTTPD", "CSondeZlib"]),
    library(
      "SondeWebApp",
      ["SondeSystem", "SondeReachability", "SondeTransfer", "SondeWeb", "SondeAccounts"]
    ),
    .target(
      name: "SondeReport",
      dependencies: [
        "SondeAddresses", "SondeAlerts", "SondeAsking", "SondeCatalog", "SondeDatabases",
        "SondeInputs", "SondeOptions", "SondeOutputs", "SondePrivacy", "SondeProviders",
        "SondeReachability", "SondeRecords", "SondeScanner", "SondeStore", "SondeSummary",
        "SondeSystem",
      ]
    ),
    library("SondeFollow", ["SondeSQLite", "SondeSystem"]),
    library(
      "SondeLive",
      [
        "SondeAddresses", "SondeAnnotate", "SondeAsking", "SondeFollow", "SondeInputs", "SondePage",
        "SondeProviders", "SondeRecords", "SondeSQLite", "SondeStore", "SondeSystem",
      ]
    ),
    library(
      "SondeGuard",
      [
        "SondeAddresses", "SondeAlerts", "SondeAsking", "SondeFollow", "SondeInputs", "SondeLogs",
        "SondeOptions", "SondeOutputs", "SondeReachability", "SondeRecords", "SondeReport",
        "SondeSQLite", "SondeSystem", "SondeWeb", "CSondeJournal",
      ]
    ),
    .target(
      name: "SondeDashboard",
      dependencies: [
        "SondeAddresses", "SondeAlerts", "SondeAsking", "SondeCatalog", "SondeCounting",
        "SondeInputs", "SondeLive", "SondeLogs", "SondeOutputs", "SondePage", "SondeProviders",
        "SondeReachability", "SondeRecords", "SondeSQLite", "SondeScanner", "SondeStore",
        "SondeSummary", "SondeSystem", "SondeUpgrade", "SondeWeb",
      ]
    ),
    .target(
      name: "SondeDashboardAPI",
      dependencies: [
        "SondeAccounts", "SondeAddresses", "SondeAsking", "SondeDashboard", "SondeLive",
        "SondeOutputs", "SondePage", "SondeRecords", "SondeStore", "SondeSummary", "SondeSystem",
        "SondeWeb", "SondeWebApp", "CSondeDashboardAssets",
      ]
    ),
    .target(
      name: "SondeSetup",
      dependencies: [
        "SondeAccounts", "SondeAddresses", "SondeAlerts", "SondeAsking", "SondeBlock",
        "SondeCatalog", "SondeCompare", "SondeCounting", "SondeDashboard", "SondeDashboardAPI",
        "SondeDatabases", "SondeGuard", "SondeInputs", "SondeLists", "SondeLive", "SondeLogs",
        "SondeNames", "SondeOptions", "SondeOutputs", "SondePrivacy", "SondeProviders",
        "SondeReachability", "SondeRecords", "SondeRedis", "SondeReport", "SondeScanner",
        "SondeSources", "SondeStore", "SondeSummary", "SondeSystem", "SondeTables", "SondeTransfer",
        "SondeWeb",
      ]
    ),
    .executableTarget(
      name: "sonde",
      linkerSettings: [
        // For the time to start: the Swift runtime is linked statically, every symbol is found at once,
        // Swift's own linker packs what the loader must adjust (glibc 2.36 or later), and nothing that
        // is loaded finds symbols in the program.
        .unsafeFlags(
          [
            "-static-stdlib", "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker", "-z",
            "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
          ],
          .when(configuration: .release)
        )
      ]
    ),
    .target(name: "CSondeConverterPage", path: "Samples/Converter/Page", exclude: ["Resources"]),
    .executableTarget(
      name: "converter",
      dependencies: [
        "SondeAccounts", "SondeReachability", "SondeSystem", "SondeTransfer", "SondeWeb",
        "SondeWebApp", "CSondeConverterPage",
      ],
      path: "Samples/Converter",
      exclude: ["Page"]
    ),
    .target(name: "CSondeGalleryPage", path: "Samples/Gallery/Page", exclude: ["Resources"]),
    .executableTarget(
      name: "gallery",
      dependencies: [
        "SondeAccounts", "SondeAddresses", "SondeReachability", "SondeSystem", "SondeTransfer",
        "SondeWeb", "SondeWebApp", "CSondeGalleryPage",
      ],
      path: "Samples/Gallery",
      exclude: ["Page"]
    ),
    .target(
      name: "TestSupport",
      dependencies: ["SondeAddresses", "SondeSystem"],
      path: "Tests/Support"
    ),
    tests("SystemTests", ["SondeSystem"]),
    .testTarget(name: "AddressesTests", dependencies: ["SondeAddresses"], exclude: ["oracle.py"]),
    tests("PrivacyTests", ["SondeAddresses", "SondePrivacy"]),
    tests("RecordsTests", ["SondeSystem", "SondeAddresses", "SondeRecords"]),
    tests("TablesTests", ["SondeAddresses", "SondeTables"]),
    tests("NamesTests", ["SondeAddresses", "SondeNames", "SondeSystem"]),
    probe("ReachabilityProbe", ["SondeReachability"]),
    tests(
      "ReachabilityTests",
      ["ReachabilityProbe", "CSondeNetlink", "SondeReachability", "SondeSystem"]
    ),
    tests("TransferTests", ["CSondeCurl", "SondeSystem", "SondeTransfer"]),
    .testTarget(
      name: "ProvidersTests",
      dependencies: [
        "SondeAddresses", "SondeDatabases", "SondeProviders", "SondeRecords", "SondeSystem",
        "SondeTables", "SondeTransfer", "CSondeLoc",
      ],
      linkerSettings: [.linkedLibrary("loc")]  // It writes the databases.
    ),
    probe("StoreProbe", ["SondeAddresses", "SondeRecords", "SondeStore", "SondeSystem"]),
    tests("StoreTests", ["StoreProbe", "CSondeSQLite"]),
    probe("AccountsProbe", ["SondeAccounts"]),
    tests("AccountsTests", ["AccountsProbe", "SondeAccounts", "SondeSQLite", "SondeSystem"]),
    tests("PageTests", ["SondePage", "SondeSummary"]),
    tests("BlockTests", ["SondeAddresses", "SondeBlock"]),
    tests("GuardTests", ["SondeGuard", "SondeRecords", "SondeSystem", "SondeFollow"]),
    tests(
      "LiveTests",
      ["SondeAddresses", "SondeFollow", "SondeLive", "SondeRecords", "SondeSQLite", "SondeSystem"]
    ),
    tests("CompareTests", ["SondeAddresses", "SondeCompare", "SondeRecords"]),
    tests("SummaryTests", ["SondeAddresses", "SondeRecords", "SondeSummary", "SondeSystem"]),
    .testTarget(
      name: "ScannerTests",
      dependencies: ["CSondeBzip2", "CSondeLzma", "CSondeZlib", "CSondeZstd"],
      linkerSettings: [.linkedLibrary("bz2"), .linkedLibrary("lzma")]  // They pack what is read.
    ),
    tests("WebTests", ["SondeSystem", "SondeWeb"]),
    tests(
      "WebAppTests",
      ["SondeAccounts", "SondeReachability", "SondeTransfer", "SondeWeb", "SondeWebApp"]
    ),
    probe("WebProbe", ["SondeSystem", "SondeWeb"]),
    tests("DashboardTests", []),
    .testTarget(name: "CommandTests", dependencies: ["sonde"], exclude: ["Options/Help"]),
    .testTarget(
      name: "ConverterTests",
      dependencies: ["SondeWeb", "converter"],
      exclude: ["oracle.py"]
    ),
    tests("GalleryTests", ["SondeWeb", "gallery"]),
    tests("DocumentationTests", []),
    .executableTarget(
      name: "Fuzz",
      dependencies: ["TestSupport"],
      path: "Tests/Fuzz",
      exclude: ["Corpus"]
    ),
    tests("FuzzTests", ["Fuzz", "SondeSystem"]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: ["AllocationCount", "TestSupport"],
      path: "Tests/Benchmarks",
      exclude: [
        "RESULTS.md", "dashboard.py", "detection.py", "guard.py", "owners.py", "log_job.py",
        "page.py", "python_package.py", "readers.py", "sources.py", "Server", "Allocations",
      ]
    ),
    .target(name: "AllocationCount", path: "Tests/Benchmarks/Allocations"),
    .executableTarget(name: "BenchmarkServer", path: "Tests/Benchmarks/Server"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x,
  cxxLanguageStandard: .cxx17
)

/// The program, and what tests or measures all of it, may use every library.
let wide: Set = [
  "Benchmarks", "CommandTests", "DashboardTests", "DocumentationTests", "Fuzz", "ScannerTests",
  "StoreTests", "sonde",
]
let libraries = package.targets.map(\.name).filter { $0.hasPrefix("Sonde") }
for target in package.targets where wide.contains(target.name) {
  target.dependencies += libraries.map { .byName(name: $0) }
}
for target in package.targets where target.type == .test { target.dependencies += ["TestSupport"] }
for target in package.targets where target.type != .system {
  target.swiftSettings =
    [
      "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].map { .enableUpcomingFeature($0) } + [.strictMemorySafety()]
}

// A warning is an error where it can be mended: in Sonde's own checkout, and not in the build of a
// package that uses a library of it.
if Context.environment["WARNINGS_OF_SONDE"] == "error" {
  for target in package.targets where target.type != .system {
    target.swiftSettings? += [
      .treatAllWarnings(as: .error), .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
    target.cSettings = [.enableWarning("all"), .treatAllWarnings(as: .error)]
    target.cxxSettings = [.enableWarning("all"), .treatAllWarnings(as: .error)]
  }
  // Tests that compute for minutes without being optimized, and what they compute with.
  let computing: Set = ["AddressesTests", "BlockTests", "SondeAddresses", "SondeBlock"]
  for target in package.targets where computing.contains(target.name) {
    target.swiftSettings? += [.unsafeFlags(["-O"], .when(configuration: .debug))]
  }
}
