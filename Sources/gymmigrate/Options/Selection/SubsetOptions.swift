import Transfer

/// Options that select a part of a database.
struct SubsetOptions: ParsableArguments {
  @Option(
    help:
      "Only these documents and what they refer to, as 'users where role == trainer limit 20'. Repeatable.",
    as: TypedValue.text("documents")
  )
  var subset: [String] = []

  @Option(help: "Of these, or of the collections, only a share by name, as 1%.", as: TypedValue.share)
  var sample: SampleShare?

  @Option(
    help: "Which references to follow: out, in, both as out,in, or none (default: out).",
    as: TypedValue.follow
  )
  var follow: SubsetSettings.Follow?

  @Option(
    help: "Write nothing if the part has more documents (default: 10000).",
    from: 1,
    to: SubsetSettings.greatest
  )
  var maxDocuments: Int?

  @Option(
    help: "Name a document that more refer to by one field, and do not follow it inwards (default: 1000).",
    from: 0
  )
  var maxFanIn: Int?

  var isGiven: Bool { !subset.isEmpty || sample != nil }

  /// - Parameter excluded: Options that are incompatible with a part, and whether they are given.
  func validate(_ collections: [String], without excluded: [(name: String, isGiven: Bool)]) throws {
    guard isGiven else {
      if follow != nil || maxDocuments != nil || maxFanIn != nil {
        throw ValidationError("--follow, --max-documents and --max-fan-in are for --subset and --sample.")
      }
      return
    }
    let name = subset.isEmpty ? "--sample" : "--subset"
    if let option = excluded.first(where: \.isGiven) {
      throw ValidationError("\(name) does not go with \(option.name).")
    }
    if subset.isEmpty == collections.isEmpty {
      throw ValidationError("Name collections or give --subset, not both.")
    }
    for text in subset { try validate(text) }
  }

  private func validate(_ text: String) throws {
    guard let root = SubsetRoot(typed: text) else {
      throw ValidationError(
        "--subset: '\(text)' is not COLLECTION, where FILTER, limit N; the last two may be left out.\(Self.meant(by: text))"
      )
    }
    if let defect = CollectionSelection.defect(of: root.collection) {
      throw ValidationError("--subset: '\(root.collection)' \(defect).")
    }
    if let filter = root.filter {
      do {
        try FilterArguments.validate([filter], for: [root.collection], of: "--subset")
      } catch let error as ValidationError {
        throw ValidationError(error.message + Self.meant(by: filter))
      }
    }
  }

  /// Returns the keyword that was probably meant, as a sentence after a space; empty if there is none.
  private static func meant(by text: String) -> String {
    let words = text.split(separator: " ").map(String.init)
    return words.compactMap { $0.unknown(among: ["where", "limit"]) }.first { !$0.isEmpty } ?? ""
  }

  /// Returns the collections with which the part begins.
  func roots(_ collections: [String]) -> [String] {
    subset.isEmpty ? collections : subset.compactMap { SubsetRoot(typed: $0)?.collection }
  }

  func settings(_ collections: [String]) -> SubsetSettings? {
    guard isGiven else { return nil }
    var settings = SubsetSettings(roots: subset.isEmpty ? collections : subset)
    settings.sample = sample
    settings.follow = follow ?? settings.follow
    settings.maximumDocuments = maxDocuments ?? settings.maximumDocuments
    settings.maximumFanIn = maxFanIn ?? settings.maximumFanIn
    return settings
  }
}
