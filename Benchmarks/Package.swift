// swift-tools-version: 6.1
import PackageDescription

// Benchmarks stand beside the main package, so that its build stays light. `Main` leads to the main package's sources
// (the main package has no library products to depend on), compiled here with the settings that they have there.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Products of other packages.
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

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
    path: "Main/\(floor)\(name)",
    resources: embedded.map { .embedInCode($0) },
    swiftSettings: settings
  )
}

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(name: "CCurl", path: "Main/CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CXLSXWriter", path: "Main/CXLSXWriter", pkgConfig: "xlsxwriter"),
    .systemLibrary(name: "COpenSSL", path: "Main/COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CZlib", path: "Main/CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CDeflate", path: "Main/CDeflate", pkgConfig: "libdeflate"),
    .systemLibrary(name: "CMinizip", path: "Main/CMinizip", pkgConfig: "minizip"),
    .systemLibrary(name: "CExpat", path: "Main/CExpat", pkgConfig: "expat"),
    .systemLibrary(name: "CLinux", path: "Main/CLinux"),
    .target(
      name: "CSimdjson",
      path: "Main/CSimdjson",
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
      "Tables",
      in: "Transfer/",
      ["FirestoreModels", "Schema", "Files", "Platform", "CXLSXWriter", "CMinizip", "CExpat"]
    ),
    .target(
      name: "CReference",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    .executableTarget(
      name: "Measure",
      dependencies: [
        "FirestoreModels", "Schema", "GymModels", "Files", "FirestoreREST", "Tables", "Platform",
        "CReference",
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
