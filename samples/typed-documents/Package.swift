// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "typed-documents",
  platforms: [.macOS(.v15)],
  dependencies: [
    // Elsewhere: .package(url: "https://…", from: "…").
    .package(name: "gymmigrate", path: "../..")
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
    .executableTarget(
      name: "Snippets",
      dependencies: [.product(name: "FirestoreDataStore", package: "gymmigrate")]
    ),
  ],
  swiftLanguageModes: [.v6]
)
