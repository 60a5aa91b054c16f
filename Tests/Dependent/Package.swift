// swift-tools-version:6.2
import PackageDescription

// A program that builds on Sonde's libraries by URL and tag, with targets of its own whose names Sonde's
// might have had.
let package = Package(
  name: "dependent",
  dependencies: [.package(url: Context.environment["REPOSITORY"] ?? "", from: "0.0.1")],
  targets: [
    .target(name: "System"),
    .target(name: "CSQLite"),
    .executableTarget(
      name: "App",
      dependencies: [
        "System", "CSQLite",
        .product(name: "SondeAddresses", package: "sonde"),
        .product(name: "SondeReachability", package: "sonde"),
        .product(name: "SondeTransfer", package: "sonde"),
        .product(name: "SondeWeb", package: "sonde"),
        .product(name: "SondeAccounts", package: "sonde"),
        .product(name: "SondeWebApp", package: "sonde"),
      ]
    ),
  ]
)
