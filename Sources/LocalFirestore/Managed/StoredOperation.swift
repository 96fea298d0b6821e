import FirestoreModels

/// An export or import of the embedded store.
///
/// It advances by one state with each `operations.get`, so that clients see progress without any waiting: INITIALIZING,
/// PROCESSING with half of the documents, FINALIZING with all of them, SUCCESSFUL. A cancelled one is CANCELLED at the
/// next call.
struct StoredOperation: Sendable, Equatable {
  enum Kind: String, Sendable {
    case exportDocuments = "export"
    case importDocuments = "import"

    /// The message of its metadata (`google/firestore/admin/v1/operation.proto`).
    var metadata: String { self == .exportDocuments ? "ExportDocumentsMetadata" : "ImportDocumentsMetadata" }
  }

  enum State: String, Sendable {
    case initializing = "INITIALIZING"
    case processing = "PROCESSING"
    case cancelling = "CANCELLING"
    case finalizing = "FINALIZING"
    case successful = "SUCCESSFUL"
    case cancelled = "CANCELLED"
  }

  /// The row in the table, in order of the starts.
  var row: Int64 = 0
  /// The last segment of its name.
  var id: String
  var kind: Kind
  /// `gs://BUCKET/PREFIX`, without a slash at its end.
  var prefix: String
  /// The collection IDs; empty for all.
  var collections: [String]
  /// The moment of an export in microseconds since 1970; nil for none in particular.
  var snapshotTime: Int64?
  /// Microseconds since 1970.
  var startTime: Int64
  var endTime: Int64?
  var state = State.initializing
  /// The documents of the export, or of the part of it that is imported.
  var documents: Int64 = 0
  var bytes: Int64 = 0
  var completedDocuments: Int64 = 0
  var completedBytes: Int64 = 0

  var isDone: Bool { state == .successful || state == .cancelled }

  /// Advances by one state.
  ///
  /// - Parameter time: Microseconds since 1970.
  mutating func advance(at time: Int64) {
    switch state {
    case .initializing:
      state = .processing
      completedDocuments = (documents + 1) / 2
      completedBytes = bytes / 2
    case .processing:
      state = .finalizing
      (completedDocuments, completedBytes) = (documents, bytes)
    case .finalizing: (state, endTime) = (.successful, time)
    case .cancelling: (state, endTime) = (.cancelled, time)
    case .successful, .cancelled: break
    }
  }

  /// Cancels the operation unless it has ended.
  mutating func cancel() {
    if !isDone { state = .cancelling }
  }

  /// Writes the operation as a `google.longrunning.Operation`.
  func write(to json: inout JSONWriter, in database: DatabaseName) {
    let package = "type.googleapis.com/google.firestore.admin.v1"
    json.object {
      $0.member("name", "\(database)/operations/\(id)")
      $0.key("metadata")
      $0.object {
        $0.member("@type", "\(package).\(kind.metadata)")
        $0.member("startTime", Timestamp(microseconds: startTime))
        $0.member("endTime", endTime.map { Timestamp(microseconds: $0) })
        $0.member("operationState", state.rawValue)
        if state != .initializing {
          Self.write("progressDocuments", documents, completedDocuments, to: &$0)
          Self.write("progressBytes", bytes, completedBytes, to: &$0)
        }
        $0.member("collectionIds", collections) { id, json in json.string(id) }
        switch kind {
        case .exportDocuments: $0.member("outputUriPrefix", prefix)
        case .importDocuments: $0.member("inputUriPrefix", prefix)
        }
        $0.member("snapshotTime", snapshotTime.map { Timestamp(microseconds: $0) })
      }
      if isDone { $0.member("done", true) }
      switch (state, kind) {
      case (.successful, .exportDocuments):
        $0.key("response")
        $0.object {
          $0.member("@type", "\(package).ExportDocumentsResponse")
          $0.member("outputUriPrefix", prefix)
        }
      case (.successful, .importDocuments):
        $0.key("response")
        $0.object { $0.member("@type", "type.googleapis.com/google.protobuf.Empty") }
      case (.cancelled, _):
        $0.key("error")
        $0.object {
          $0.member("code", FirestoreError.Status.cancelled.rawValue)
          $0.member("message", "The operation was cancelled.")
        }
      default: break
      }
    }
  }

  /// Writes a `Progress`, whose numbers are strings and left out where they are 0.
  private static func write(
    _ name: StaticString,
    _ estimated: Int64,
    _ completed: Int64,
    to json: inout JSONWriter
  ) {
    json.key(name)
    json.object {
      if estimated > 0 { $0.member("estimatedWork", "\(estimated)") }
      if completed > 0 { $0.member("completedWork", "\(completed)") }
    }
  }
}
