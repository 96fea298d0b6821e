// swift-tools-version: 6.1
import PackageDescription

// Benchmarks stand beside the main package, so that its build stays light. `Main` leads to the main package's sources
// (the main package has no library products to depend on), compiled here with the settings that they have there.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

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
    .systemLibrary(name: "CMinizip", path: "Main/CMinizip", pkgConfig: "minizip"),
    .systemLibrary(name: "CExpat", path: "Main/CExpat", pkgConfig: "expat"),
    .target(
      name: "CSimdjson",
      path: "Main/CSimdjson",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    .target(name: "Models", dependencies: ["CSimdjson"], path: "Main/Models", swiftSettings: settings),
    .target(
      name: "Transfer",
      dependencies: [
        "Models", "CCurl", "CXLSXWriter", "COpenSSL", "CZlib", "CMinizip", "CExpat",
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Yams", package: "Yams"),
      ],
      path: "Main/Transfer",
      swiftSettings: settings
    ),
    .target(
      name: "CReference",
      linkerSettings: [.linkedLibrary("simdjson"), .linkedLibrary("stdc++", .when(platforms: [.linux]))]
    ),
    .executableTarget(
      name: "Measure",
      dependencies: ["Models", "Transfer", "CReference"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
