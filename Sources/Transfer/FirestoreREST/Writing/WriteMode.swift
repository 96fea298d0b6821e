package import FirestoreModels

/// How imported documents apply to existing ones.
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
    case write(Write)
    case unchanged
    /// The mode does not allow it; the error is that of the service.
    case rejected(FirestoreError)
  }

  /// Decides by the current document; nil if it does not exist.
  ///
  /// Every write has a precondition on exactly that document, so a concurrent change is detected and decided
  /// again.
  package func decide(_ incoming: RawDocument, current: RawDocument?) -> Decision {
    func write(_ fields: FieldMap, _ mask: [FieldPath]?, if precondition: Precondition) -> Decision {
      let operation = Write.Operation.update(fields: fields, mask: mask)
      return .write(Write(path: incoming.path, operation: operation, precondition: precondition))
    }
    guard let current else {
      if self == .replace { return .rejected(FirestoreError(.notFound, "there is no document to replace")) }
      return write(incoming.fields, nil, if: .exists(false))
    }
    let precondition = current.updateTime.map { Precondition.updateTime($0) } ?? .exists(true)
    switch self {
    case .create, .upsert, .replace:
      if incoming.fields == current.fields { return .unchanged }
      if self != .create { return write(incoming.fields, nil, if: precondition) }
      return .rejected(FirestoreError(.alreadyExists, "the document is there already, with other fields"))
    case .merge:
      let mask = Self.leafPaths(of: incoming.fields).filter { incoming.fields[$0] != current.fields[$0] }
      if mask.isEmpty { return .unchanged }
      var fields = FieldMap()
      for path in mask { fields[path] = incoming.fields[path] }
      return write(fields, mask, if: precondition)
    }
  }

  /// Decides about an encoded document, as about the one in memory.
  package func decide(_ incoming: EncodedDocument, current: RawDocument?) -> Decision {
    guard let current else {
      if self == .replace { return decide(incoming.document, current: nil) }
      return .write(Write(path: incoming.path, operation: .set(incoming), precondition: .exists(false)))
    }
    if hasAll(of: incoming, current) { return .unchanged }
    return decide(incoming.document, current: current)
  }

  /// Whether a document that is to replace the current one has exactly its fields; of an encoded one that is to be merged
  /// into it, false is inconclusive.
  package func hasAll(of incoming: EncodedDocument, _ current: RawDocument) -> Bool {
    var json = JSONWriter(capacity: 4 << 10)
    return self != .merge && incoming.hasFields(current.fields, encodedInto: &json)
  }

  /// Returns the paths of all values except maps, plus empty maps and vectors.
  static func leafPaths(of fields: FieldMap, under parent: FieldPath? = nil) -> [FieldPath] {
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
