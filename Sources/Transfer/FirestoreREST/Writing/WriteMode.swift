/// How imported documents are applied to existing ones.
package enum WriteMode: String, Codable, Sendable, CaseIterable {
  /// Creates new documents; an existing one is unchanged if its fields are the same, otherwise rejected.
  case create
  /// Creates new documents and replaces existing ones.
  case upsert
  /// Creates new documents; in existing ones, sets the imported fields and keeps the others.
  case merge
  /// Replaces existing documents; a missing one is rejected.
  case replace

  /// The decision about one document.
  package enum Decision: Sendable, Equatable {
    case change(Change)
    case unchanged
    /// The mode does not allow it, with the service's error; or the schema does not, with the code of the breach.
    case rejected(FirestoreError, breach: String? = nil)
  }

  /// Decides by the current document; nil if it does not exist.
  ///
  /// Every change depends on exactly that document, so that a concurrent one is detected and decided again.
  package func decide(_ incoming: LoadDocument, current: RawDocument?) -> Decision {
    if case .absent(let path) = incoming.content {
      guard let current, self != .create else { return .unchanged }
      return .change(Change(path: path, before: current, after: nil))
    }
    guard let current else {
      if self == .replace { return .rejected(FirestoreError(.notFound, "there is no document to replace")) }
      return .change(incoming.creation)
    }
    if hasAll(of: incoming, current) { return .unchanged }
    switch self {
    case .create:
      return .rejected(FirestoreError(.alreadyExists, "the document is there already, with other fields"))
    case .upsert, .replace: return .change(Change(replacing: current, with: incoming.document.fields))
    case .merge:
      let fields = Self.merged(current.fields, with: incoming.document.fields)
      return fields == current.fields
        ? .unchanged : .change(Change(path: current.path, before: current, after: fields))
    }
  }

  /// Whether an incoming document that is to replace the current one has exactly the same fields; for a merge, false is
  /// inconclusive.
  package func hasAll(of incoming: LoadDocument, _ current: RawDocument) -> Bool {
    if self == .merge { return false }
    switch incoming.content {
    case .absent: return false
    case .decoded(let document): return document.fields == current.fields
    case .encoded(let document):
      var json = JSONWriter(capacity: 4 << 10)
      return document.hasFields(current.fields, encodedInto: &json)
    }
  }

  /// Returns fields with those of others set; only a map goes into a map, and a vector is a value of another kind.
  package static func merged(_ current: FieldMap, with others: FieldMap) -> FieldMap {
    var fields = current
    for entry in others.entries {
      if let known = fields[entry.name]?.map, let inner = entry.value.map, known.vector == nil,
        inner.vector == nil
      {
        fields[entry.name] = .map(merged(known, with: inner))
      } else {
        fields[entry.name] = entry.value
      }
    }
    return fields
  }

  /// Returns the paths of all values except maps, plus empty maps and vectors.
  package static func leafPaths(of fields: FieldMap, under parent: FieldPath? = nil) -> [FieldPath] {
    var paths: [FieldPath] = []
    for entry in fields.entries {
      let path = parent?.appending(entry.name) ?? FieldPath(field: entry.name)
      if case .map(let inner) = entry.value, !inner.isEmpty, inner.vector == nil {
        paths += leafPaths(of: inner, under: path)
      } else {
        paths.append(path)
      }
    }
    return paths
  }
}

extension WriteMode {
  /// The code of a document that is not written because somebody has written or deleted it since it was listed.
  package static let changedSince = "conflict"
}

extension FirestoreError {
  /// How the reason of ``WriteMode/Decision/rejected(_:breach:)`` is counted.
  ///
  /// That is the code, preceded by the absence of the document if the schema does not allow it to be created.
  package func countedReason(_ breach: String?) -> String {
    guard let breach else { return status.name }
    return status == .notFound ? "\(Self.noDocument), \(breach)" : breach
  }

  /// The prefix of such a reason.
  package static let noDocument = "no such document"
}

/// A document to write, in memory or already encoded, or a document to delete.
package struct LoadDocument: Sendable {
  package enum Content: Sendable {
    case decoded(RawDocument)
    case encoded(EncodedDocument)
    /// A document to delete; only the mode `create` keeps an existing one.
    case absent(DocumentPath)
  }

  package var content: Content
  /// The index of the file or sheet that an import has it from, whose rules apply to it.
  package var input: Int

  package init(_ content: Content, of input: Int = 0) { (self.content, self.input) = (content, input) }

  package static func decoded(_ document: RawDocument) -> LoadDocument { LoadDocument(.decoded(document)) }

  package var path: DocumentPath {
    switch content {
    case .absent(let path): path
    case .decoded(let document): document.path
    case .encoded(let document): document.path
    }
  }

  package var document: RawDocument {
    switch content {
    case .absent(let path): RawDocument(path: path, fields: FieldMap())
    case .decoded(let document): document
    case .encoded(let document): document.document
    }
  }

  package var heldBytes: Int {
    switch content {
    case .absent: 0
    case .decoded(let document): document.heldBytes
    case .encoded(let document): document.heldBytes
    }
  }

  fileprivate var creation: Change {
    switch content {
    case .absent(let path): Change(path: path, before: nil, after: nil)
    case .decoded(let document): Change(path: document.path, before: nil, after: document.fields)
    case .encoded(let document): Change(creating: document)
    }
  }
}
