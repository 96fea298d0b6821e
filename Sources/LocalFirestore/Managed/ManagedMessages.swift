import FirestoreModels

/// The body of `exportDocuments` and of `importDocuments`.
struct TransferRequest: Equatable {
  /// The largest number of collection IDs (https://firebase.google.com/docs/firestore/quotas).
  static let maximumCollections = 100

  var prefix = ""
  var collections: [String] = []
  /// Microseconds since 1970.
  var snapshotTime: Int64?

  /// The prefix without a slash at its end.
  ///
  /// - Parameter name: The field that it is in, for errors.
  /// - Throws: ``FirestoreError`` `.invalidArgument` if it is not a URI of Cloud Storage.
  func checkedPrefix(_ name: String) throws(FirestoreError) -> String {
    if prefix.isEmpty { throw .invalid("Missing required field: \(name)") }
    let scheme = "gs://"
    var uri = Array(prefix.utf8)
    if uri.last == UInt8(ascii: "/") { uri.removeLast() }
    let path = uri.dropFirst(scheme.utf8.count).split(
      separator: UInt8(ascii: "/"),
      omittingEmptySubsequences: false
    )
    guard uri.starts(with: scheme.utf8), !path.isEmpty, path.allSatisfy({ !$0.isEmpty }) else {
      throw .invalid("Invalid Google Cloud Storage URI in \(name): it is not gs://BUCKET[/PREFIX].")
    }
    return String(decoding: uri, as: UTF8.self)
  }

  /// Throws for collection IDs that the service refuses.
  func checkCollections() throws(FirestoreError) {
    if collections.count > Self.maximumCollections {
      throw .invalid("At most \(Self.maximumCollections) collection ids are allowed.")
    }
    for id in collections {
      if let violation = PathLimits.violation(ofID: id, isDocument: false) {
        throw .invalid(violation.message)
      }
    }
  }
}

extension RequestDecoder {
  func exportDocuments(_ body: [UInt8]) throws(FirestoreError) -> TransferRequest {
    try transfer(body, prefix: "outputUriPrefix", hasSnapshotTime: true)
  }

  func importDocuments(_ body: [UInt8]) throws(FirestoreError) -> TransferRequest {
    try transfer(body, prefix: "inputUriPrefix", hasSnapshotTime: false)
  }

  private func transfer(
    _ body: [UInt8],
    prefix: String,
    hasSnapshotTime: Bool
  ) throws(FirestoreError) -> TransferRequest {
    try message(body, TransferRequest()) { request, name, value, wire throws(WireError) in
      switch name {
      case prefix: request.prefix = try value.text()
      case "collectionIds": request.collections += try wire.texts(value)
      case "namespaceIds":
        // Namespaces are Datastore's; the default one has an empty name.
        for element in try wire.elements(of: value) where try !element.text().isEmpty {
          throw WireError("a database in native mode has no namespaces")
        }
      case "snapshotTime" where hasSnapshotTime:
        let time = try WireDecoder.timestamp(value, member: name)
        guard time.seconds % 60 == 0, time.nanoseconds == 0 else {
          throw WireError("snapshot_time must be a whole minute")
        }
        request.snapshotTime = time.microseconds
      default: try wire.refuse(name)
      }
    }
  }

  /// Decodes the body of `operations.cancel`, which is empty.
  func empty(_ body: [UInt8]) throws(FirestoreError) {
    try message(body, ()) { _, name, _, wire throws(WireError) in try wire.refuse(name) }
  }
}
