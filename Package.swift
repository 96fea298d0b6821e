// swift-tools-version: 6.1
import PackageDescription

/// Upcoming features that every target of ours is compiled with.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Those of tests, whose own code runs too seldom to be worth optimising: their files are compiled side by side instead, and
/// only those that changed.
let testSettings =
  settings + [
    .unsafeFlags(
      ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"],
      .when(configuration: .release)
    )
  ]

/// Products of other packages.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Where the tool runs, as opposed to apps that use `FirestoreDocuments`.
let hosts: [Platform] = [.linux, .macOS]

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
  name: "gymmigrate",
  // iOS for `FirestoreDocuments` alone: the other targets need C libraries.
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "gymmigrate", targets: ["gymmigrate"]),
    .library(name: "FirestoreDocuments", targets: ["FirestoreDocuments"]),
    .library(name: "FirestoreDataStore", targets: ["FirestoreDataStore"]),
  ],
  traits: [
    .default(enabledTraits: ["Simdjson"]),
    .trait(name: "Simdjson", description: "Parse JSON with the C++ library simdjson, where the tool runs."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    // Floor 1: the data and the service's own terms. No I/O.
    .systemLibrary(
      name: "CCurl",
      pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
    ),
    .systemLibrary(
      name: "CXLSXWriter",
      pkgConfig: "xlsxwriter",
      providers: [.apt(["libxlsxwriter-dev"]), .brew(["libxlsxwriter"])]
    ),
    .systemLibrary(
      name: "COpenSSL",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .systemLibrary(
      name: "CDeflate",
      pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]
    ),
    .systemLibrary(
      name: "CMinizip",
      pkgConfig: "minizip",
      providers: [.apt(["libminizip-dev"]), .brew(["minizip"])]
    ),
    .systemLibrary(
      name: "CExpat",
      pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]
    ),
    .systemLibrary(name: "CLinux"),
    .target(
      name: "CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    library("Platform", in: ""),
    library(
      "FirestoreModels",
      in: "Models/",
      [
        .target(name: "CSimdjson", condition: .when(platforms: hosts, traits: ["Simdjson"])),
        .target(name: "Platform", condition: .when(platforms: hosts)),
      ]
    ),
    library("TypedDocuments", in: "Models/", ["FirestoreModels"]),
    library("FirestoreDocuments", in: "Models/", ["FirestoreModels", "TypedDocuments"]),
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
      "FirestoreDataStore",
      in: "Transfer/",
      [
        "FirestoreModels", "TypedDocuments", "FirestoreDocuments", "Files", "Configuration", "FirestoreREST",
      ]
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
        "Tables", "Runs",
        "Platform", logging,
      ]
    ),
    library("LocalFirestore", in: "", ["FirestoreModels", "Platform", grdb, sqlite]),

    // Floor 3: migrations and the runner that owns their writes.
    library(
      "MigrationEngine",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "YAML", "Files", "Configuration", "FirestoreREST",
        "Tables", "Runs", "Platform", grdb, logging,
      ],
      embedding: ["Page/plan-page.css", "Page/plan-page.js"]
    ),
    library(
      "Shards",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Files", "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "Platform", logging,
      ]
    ),
    library(
      "Integrity",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "MigrationEngine", grdb, logging,
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

    library(
      "GymServices",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "GymModels", "Files", "Configuration", "FirestoreREST",
        "Tables",
        "Runs", "Transfer", "MigrationEngine", logging,
      ]
    ),

    library(
      "GymReports",
      in: "Migrations/",
      [
        "FirestoreModels", "Schema", "GymModels", "Files", "FirestoreREST", "Tables", "MigrationEngine",
        logging,
      ],
      embedding: ["report-page.css", "gym-views.sql"]
    ),

    library(
      "Mirror",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "LocalFirestore", "MigrationEngine", grdb, logging,
      ]
    ),

    library(
      "Restoration",
      in: "Migrations/",
      [
        "FirestoreModels", "TypedDocuments", "Schema", "FirestoreREST", "Runs", "Transfer",
        "MigrationEngine", logging,
      ]
    ),

    // Floor 4: the command line.
    .executableTarget(
      name: "gymmigrate",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "YAML", "Schema", "GymModels", "Files",
        "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "Integrity", "GymMigrations", "GymServices", "GymReports", "Mirror",
        "Restoration", "Shards", "LocalFirestore",
        argumentParser,
        logging,
      ],
      swiftSettings: settings
    ),

    .target(
      name: "TestSupport",
      dependencies: ["Platform", "FirestoreModels"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    .target(
      name: "RunSupport",
      dependencies: ["FirestoreModels", "Schema", "Configuration", "FirestoreREST", "Runs", logging],
      path: "Tests/RunSupport",
      swiftSettings: settings
    ),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "ModelsTests",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "FirestoreDocuments", "YAML", "Schema", "GymModels",
        "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TransferTests",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "YAML", "Schema", "GymModels", "Files",
        "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs", "Transfer",
        "RunSupport", "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "LocalFirestoreTests",
      dependencies: ["Platform", "FirestoreModels", "LocalFirestore", "TestSupport"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "DataStoreTests",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "FirestoreREST", "FirestoreDataStore", "LocalFirestore",
        "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "MigrationsTests",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "YAML", "Schema", "GymModels", "Files",
        "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "Integrity", "GymMigrations", "GymReports", "GymServices", "Mirror",
        "Restoration", "Shards", "LocalFirestore", "RunSupport",
        "TestSupport",
        logging,
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "YAML", "Schema", "GymModels", "Files",
        "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "Integrity", "GymMigrations", "GymServices", "LocalFirestore", "RunSupport",
        "TestSupport",
        logging,
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "GymmigrateTests",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "YAML", "Schema", "GymModels", "Files",
        "Configuration", "FirestoreREST", "Storage", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "Integrity", "GymMigrations", "GymServices", "LocalFirestore", "TestSupport",
        "gymmigrate",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "FirestoreModels", "Schema", "GymModels", "Integrity", "GymMigrations", "TestSupport", "gymmigrate",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Platform", "FirestoreModels", "TypedDocuments", "Schema", "GymModels", "Files", "Configuration",
        "FirestoreREST", "Storage", "Tables", "Runs", "Transfer", "LocalFirestore", "MigrationEngine",
        "Shards",
        "GymMigrations", "CZlib", "TestSupport",
        grdb,
      ],
      swiftSettings: testSettings
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
