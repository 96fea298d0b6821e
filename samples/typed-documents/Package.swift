// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "typed-documents",
  platforms: [.macOS(.v15), .iOS(.v18)],
  traits: [
    .default(enabledTraits: ["Simdjson"]),
    .trait(name: "Simdjson", description: "Parse JSON with the C++ library simdjson."),
  ],
  dependencies: [
    // Elsewhere: .package(url: "https://…", from: "…"), and with `traits: []` where there is no simdjson.
    .package(
      name: "gymmigrate",
      path: "../..",
      traits: [.trait(name: "Simdjson", condition: .when(traits: ["Simdjson"]))]
    )
  ],
  targets: [
    .executableTarget(
      name: "Apps",
      dependencies: [.product(name: "FirestoreDocuments", package: "gymmigrate")]
    ),
    .executableTarget(
      name: "Menus",
      dependencies: [.product(name: "FirestoreDataStore", package: "gymmigrate")]
    ),
    .target(name: "Response"),
    .executableTarget(
      name: "Definitions",
      dependencies: ["Response", .product(name: "FirestoreDocuments", package: "gymmigrate")]
    ),
    .executableTarget(
      name: "Snippets",
      dependencies: ["Response", .product(name: "FirestoreDataStore", package: "gymmigrate")]
    ),
  ],
  swiftLanguageModes: [.v6]
)
