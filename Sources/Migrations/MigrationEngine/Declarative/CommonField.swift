package import FirestoreModels

/// The fields that mean the same in every collection that has them.
package enum CommonField {
  /// When the document was last changed, by the service's clock.
  package static let updatedAt = "updatedAt"
  /// False where a document was deleted softly.
  package static let isActive = "isActive"
  /// What the service sets wherever a document changes.
  package static let serverTimes = [FieldPath(field: updatedAt)]
}

extension RawDocument {
  /// The change that edits fields and has the service set `updatedAt`.
  package func changing(_ edit: FieldEdit, reasons: [String]) -> Change {
    var edit = edit
    edit.set(CommonField.updatedAt, to: nil)
    return Change(of: self, edit, serverTimes: CommonField.serverTimes, reasons: reasons)
  }
}
