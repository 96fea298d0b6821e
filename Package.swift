// swift-tools-version: 6.1
import PackageDescription

/// Upcoming features that every target of ours is compiled with.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Those of tests, whose own code runs too seldom to be worth optimising.
let testSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let package = Package(
  name: "gymmigrate",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "gymmigrate", targets: ["gymmigrate"])
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
      name: "CMinizip",
      pkgConfig: "minizip",
      providers: [.apt(["libminizip-dev"]), .brew(["minizip"])]
    ),
    .systemLibrary(
      name: "CExpat",
      pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"]), .brew(["expat"])]
    ),
    .target(
      name: "CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    .target(
      name: "FirestoreModels",
      dependencies: ["CSimdjson"],
      path: "Sources/Models/FirestoreModels",
      swiftSettings: settings
    ),
    .target(
      name: "TypedDocuments",
      dependencies: ["FirestoreModels"],
      path: "Sources/Models/TypedDocuments",
      swiftSettings: settings
    ),
    .target(
      name: "GymModels",
      dependencies: ["FirestoreModels"],
      path: "Sources/Models/GymModels",
      swiftSettings: settings
    ),

    // Floor 2: moving documents, and the embedded store.
    .target(
      name: "Files",
      dependencies: ["FirestoreModels", "COpenSSL", "CZlib"],
      path: "Sources/Transfer/Files",
      swiftSettings: settings
    ),
    .target(
      name: "Configuration",
      dependencies: ["FirestoreModels", "Files", .product(name: "Yams", package: "Yams")],
      path: "Sources/Transfer/Configuration",
      swiftSettings: settings
    ),
    .target(
      name: "FirestoreREST",
      dependencies: [
        "FirestoreModels", "Files", "Configuration", "CCurl", "COpenSSL",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Transfer/FirestoreREST",
      swiftSettings: settings
    ),
    .target(
      name: "Tables",
      dependencies: ["FirestoreModels", "GymModels", "Files", "CXLSXWriter", "CMinizip", "CExpat"],
      path: "Sources/Transfer/Tables",
      swiftSettings: settings
    ),
    .target(
      name: "Runs",
      dependencies: [
        "FirestoreModels", "Files", "Configuration", "FirestoreREST",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Transfer/Runs",
      swiftSettings: settings
    ),
    .target(
      name: "Transfer",
      dependencies: [
        "FirestoreModels", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables", "Runs",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Transfer/Transfer",
      swiftSettings: settings
    ),
    .target(
      name: "LocalFirestore",
      dependencies: [
        "FirestoreModels",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: settings
    ),

    // Floor 3: migrations and the runner that owns their writes.
    .target(
      name: "MigrationEngine",
      dependencies: [
        "FirestoreModels", "Files", "Configuration", "FirestoreREST", "Tables", "Runs", "Transfer",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Migrations/MigrationEngine",
      swiftSettings: settings
    ),
    .target(
      name: "GymMigrations",
      dependencies: [
        "FirestoreModels", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables", "Runs",
        "MigrationEngine",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Migrations/GymMigrations",
      swiftSettings: settings
    ),

    // Floor 4: the command line.
    .executableTarget(
      name: "gymmigrate",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "GymMigrations", "LocalFirestore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: settings
    ),

    .target(
      name: "TestSupport",
      dependencies: ["FirestoreModels"],
      path: "Tests/TestSupport",
      swiftSettings: settings
    ),
    .testTarget(name: "TestSupportTests", dependencies: ["TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "ModelsTests",
      dependencies: ["FirestoreModels", "TypedDocuments", "GymModels", "TestSupport"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "TransferTests",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "Transfer",
        "TestSupport",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "LocalFirestoreTests",
      dependencies: ["FirestoreModels", "LocalFirestore", "TestSupport"],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "MigrationsTests",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "GymMigrations", "LocalFirestore", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "FaultTests",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "GymMigrations", "LocalFirestore", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "GymmigrateTests",
      dependencies: [
        "FirestoreModels", "TypedDocuments", "GymModels", "Files", "Configuration", "FirestoreREST", "Tables",
        "Runs", "Transfer",
        "MigrationEngine", "GymMigrations", "LocalFirestore", "TestSupport", "gymmigrate",
      ],
      swiftSettings: testSettings
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["GymMigrations", "TestSupport", "gymmigrate"],
      swiftSettings: testSettings
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
