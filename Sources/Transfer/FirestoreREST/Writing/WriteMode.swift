package import FirestoreModels

/// What a document that comes in does to the one that may be there already.
package enum WriteMode: String, Sendable, CaseIterable {
  /// Only new documents: one that is there with other fields is rejected, one with the same fields is unchanged.
  case create
  /// New documents are created, those that are there are replaced as a whole.
  case upsert
  /// New documents are created; of those that are there, the fields that come in are set and the others stay.
  case merge
  /// Only documents that are there: they are replaced as a whole, one that is missing is rejected.
  case replace

  /// What is to be done about one document.
  package enum Decision: Sendable, Equatable {
    /// It has to be written.
    case write(Write)
    /// It is as it should be.
    case unchanged
    /// The mode does not allow it; the error is the one that the service would answer with.
    case rejected(FirestoreError)
  }

  /// Decides by the document as it is now, nil where there is none.
  ///
  /// Every write expects exactly that document, so a change by somebody else in between is found out and
  /// decided again.
  package func decide(_ incoming: RawDocument, current: RawDocument?) -> Decision {
    guard let current else {
      if self == .replace { return .rejected(FirestoreError(.notFound, "there is no document to replace")) }
      return .write(
        Write(
          path: incoming.path,
          operation: .update(fields: incoming.fields, mask: nil),
          precondition: .exists(false)
        )
      )
    }
    let precondition = current.updateTime.map { Precondition.updateTime($0) } ?? .exists(true)
    switch self {
    case .create:
      if incoming.fields == current.fields { return .unchanged }
      return .rejected(FirestoreError(.alreadyExists, "the document is there already, with other fields"))
    case .upsert, .replace:
      if incoming.fields == current.fields { return .unchanged }
      return .write(
        Write(
          path: incoming.path,
          operation: .update(fields: incoming.fields, mask: nil),
          precondition: precondition
        )
      )
    case .merge:
      let mask = Self.leafPaths(of: incoming.fields).filter { incoming.fields[$0] != current.fields[$0] }
      if mask.isEmpty { return .unchanged }
      var fields = FieldMap()
      for path in mask { fields[path] = incoming.fields[path] }
      return .write(
        Write(path: incoming.path, operation: .update(fields: fields, mask: mask), precondition: precondition)
      )
    }
  }

  /// The paths of all values that are no maps, of empty maps and of vectors.
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
