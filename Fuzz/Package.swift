// swift-tools-version: 6.1
import PackageDescription

// The fuzz targets, apart from the main package so that its build stays light. The targets of the main package stand
// in Sources as symbolic links: SwiftPM instruments the targets of the root package only, and their internals are
// tested too. Build with `scripts/check-fuzz.sh`.

/// As in the main package, and internals are open to `@testable import` in a release build.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-enable-testing"]),
]

let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CXLSXWriter", pkgConfig: "xlsxwriter"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CMinizip", pkgConfig: "minizip"),
    .systemLibrary(name: "CExpat", pkgConfig: "expat"),
    .target(
      name: "CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    .target(name: "Models", dependencies: ["CSimdjson"], swiftSettings: settings),
    .target(
      name: "Transfer",
      dependencies: [
        "Models", "CCurl", "CXLSXWriter", "COpenSSL", "CZlib", "CMinizip", "CExpat",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "LocalFirestore",
      dependencies: [
        "Models",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings
    ),
    .target(
      name: "Migrations",
      dependencies: [
        "Models", "Transfer",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "Models", "Transfer", "LocalFirestore", "Migrations", "CZlib",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
