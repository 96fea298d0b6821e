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

/// Products of other packages.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

/// A target of ours, in the folder of its floor.
///
/// - Parameter embedded: Files that are compiled in, as bytes of `PackageResources`.
func library(
  _ name: String,
  in floor: String,
  _ dependencies: [Target.Dependency] = [],
  embedding embedded: [String] = []
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "Sources/\(floor)\(name)",
    resources: embedded.map { .embedInCode($0) },
    swiftSettings: settings
  )
}

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
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate"),
    .systemLibrary(name: "CMinizip", pkgConfig: "minizip"),
    .systemLibrary(name: "CExpat", pkgConfig: "expat"),
    .systemLibrary(name: "CLinux"),
    .target(
      name: "CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    library("Platform", in: ""),
    library("FirestoreModels", in: "Models/", ["CSimdjson", "Platform"]),
    library("TypedDocuments", in: "Models/", ["FirestoreModels"]),
    library("YAML", in: "Models/", ["FirestoreModels", yams]),
    library("Schema", in: "Models/", ["FirestoreModels", "YAML"]),
    library(
      "GymModels",
      in: "Models/",
      ["FirestoreModels", "TypedDocuments", "Schema", "YAML"],
      embedding: ["gym.yaml", "gymmigrate.yaml", "gymmigrate-sample.yaml"]
    ),

    // Floor 2: moving documents, and the embedded store.
    library(
      "Files",
      in: "Transfer/",
      ["FirestoreModels", "TypedDocuments", "Platform", "CLinux", "COpenSSL", "CZlib"]
    ),
    library("Configuration", in: "Transfer/", ["FirestoreModels", "Schema", "YAML", "Files", "Platform"]),
    library(
      "FirestoreREST",
      in: "Transfer/",
      ["FirestoreModels", "Files", "Configuration", "Platform", "CCurl", "CDeflate", "COpenSSL", logging]
    ),
    library(
      "Storage",
      in: "Transfer/",
      ["FirestoreModels", "Files", "Configuration", "FirestoreREST", "Platform"]
    ),
    library(
      "Tables",
      in: "Transfer/",
      ["FirestoreModels", "Schema", "Files", "Platform", "CXLSXWriter", "CMinizip", "CExpat"]
    ),
    library(
      "Runs",
      in: "Transfer/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "Files", "Configuration", "FirestoreREST", "Platform",
        logging,
      ]
    ),
    library(
      "Transfer",
      in: "Transfer/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "Files", "Configuration", "FirestoreREST", "Storage",
        "Tables",
        "Runs", "Platform", logging,
      ]
    ),
    library("LocalFirestore", in: "", ["FirestoreModels", "Platform", grdb, sqlite]),
    library(
      "MigrationEngine",
      in: "Migrations/",
      [
        "FirestoreModels", "Schema", "YAML", "Files", "Configuration", "FirestoreREST", "Tables", "Runs",
        "Platform", grdb, logging,
      ],
      embedding: ["Page/plan-page.css", "Page/plan-page.js"]
    ),
    library(
      "Shards",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Files", "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs",
        "Transfer", "MigrationEngine", "Platform", logging,
      ]
    ),
    library(
      "Integrity",
      in: "Migrations/",
      [
        "FirestoreModels", "Schema", "Files", "Configuration", "FirestoreREST", "Tables", "Runs",
        "MigrationEngine",
        grdb, logging,
      ]
    ),
    library(
      "GymMigrations",
      in: "Migrations/",
      [
        "FirestoreModels", "Schema", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables", "Runs",
        "MigrationEngine", "Integrity", grdb, logging,
      ]
    ),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "GymModels", "Files", "Configuration", "FirestoreREST",
        "Storage",
        "Tables", "Runs", "Transfer", "LocalFirestore", "MigrationEngine", "Shards", "GymMigrations", "CZlib",
        grdb,
      ],
      exclude: ["CorpusTests.swift"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
