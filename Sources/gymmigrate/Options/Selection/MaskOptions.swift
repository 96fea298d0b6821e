import Transfer

struct MaskOptions: ParsableArguments {
  @Flag(help: "Mask by the rules of the schema (docs/masking.md), and refuse what none covers.")
  var mask = false

  @Option(localFile: "The file of the key, which 'mask key new' makes.")
  var maskKeyFile: String?

  /// - Parameters:
  ///   - collections: The named collections.
  ///   - excluded: Options that are incompatible with masking, and whether they are given.
  func validate(_ collections: [String], without excluded: [(name: String, isGiven: Bool)]) throws {
    if mask != (maskKeyFile != nil) { throw ValidationError("--mask and --mask-key-file belong together.") }
    if !mask { return }
    if let option = excluded.first(where: \.isGiven) {
      throw ValidationError("--mask does not go with \(option.name).")
    }
    if collections.contains(where: { CollectionPath($0).map { $0.pattern != $0 } ?? false }) {
      throw ValidationError(
        "--mask takes collections without IDs, as 'groups/*/members': the run keeps their names."
      )
    }
  }

  /// As ``ConnectionSettings/hidesNames``, for the database whose documents are masked.
  var hidesNames: Bool? { mask ? true : nil }

  func settings() throws -> MaskSettings? { try maskKeyFile.map { try MaskSettings(keyFile: $0) } }
}
