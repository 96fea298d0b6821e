/// A request for a managed export or import.
package struct ManagedRequest: Sendable, Equatable {
  /// The maximum number of collection IDs in a request (https://firebase.google.com/docs/firestore/quotas).
  package static let maximumCollections = 100

  package enum Kind: Sendable, Equatable {
    case exportDocuments
    case importDocuments

    /// `export` or `import`.
    package var name: String { operation.name }

    var operation: ManagedOperation.Kind {
      self == .exportDocuments ? .exportDocuments : .importDocuments
    }

    package var rpc: RPC { self == .exportDocuments ? .exportDocuments : .importDocuments }
  }

  package let kind: Kind
  /// The destination of an export, or the source of an import.
  package let prefix: BucketPrefix
  /// The collection IDs, each of which includes all collections with that ID at any depth; empty for everything.
  package let collections: [String]
  /// The moment as of which an export reads, a whole minute; nil for none in particular.
  package let snapshotTime: Timestamp?

  package init(
    _ kind: Kind,
    _ prefix: BucketPrefix,
    collections: [String] = [],
    snapshotTime: Timestamp? = nil
  ) {
    self.kind = kind
    self.prefix = prefix
    self.collections = collections
    self.snapshotTime = snapshotTime
  }

  /// Returns why the service would refuse a list of collection IDs; nil if it is acceptable.
  package static func defect(of collections: [String]) -> String? {
    if collections.count > maximumCollections {
      return "at most \(maximumCollections) collection IDs can be named; there are \(collections.count)"
    }
    var seen: Set<UTF8Key> = []
    for id in collections {
      if id.utf8.contains(UInt8(ascii: "/")) || id.utf8.contains(UInt8(ascii: "*")) {
        return
          "'\(PathLimits.shortened(id))' is a path or a pattern; the service takes collection IDs, as users, and each means all collections of that ID at any depth"
      }
      if let violation = PathLimits.violation(ofID: id, isDocument: false) { return violation.message }
      if !seen.insert(UTF8Key(id)).inserted { return "'\(PathLimits.shortened(id))' is named twice" }
    }
    return nil
  }

  /// Whether an operation does what is requested, so that this request may have started it.
  func isDone(by operation: ManagedOperation) -> Bool {
    let names = { (ids: [String]) in Set(ids.map { UTF8Key($0) }) }
    return isBeside(operation) && names(operation.collections) == names(collections)
      && (snapshotTime == nil || operation.snapshotTime == snapshotTime)
  }

  /// Whether an operation does the same with the same prefix, regardless of collections and time.
  func isBeside(_ operation: ManagedOperation) -> Bool {
    operation.kind == kind.operation && (operation.prefix.map(prefix.isIdentical(to:)) ?? false)
  }

  var body: [UInt8] {
    JSONWriter.object {
      $0.member(kind == .exportDocuments ? "outputUriPrefix" : "inputUriPrefix", prefix.description)
      if !collections.isEmpty { $0.member("collectionIds", strings: collections) }
      $0.member("snapshotTime", snapshotTime)
    }
  }
}
