import Schema

/// Backfills a missing or null `isActive` with true, and for `users` with the value of `activo`.
///
/// An existing value is kept, whether false or true. Subcollections are left alone (`groups/{id}/members` is not `members`; see
/// ``GroupMembersIsActive``), and so are collections of facts: check_ins, payments, classBookings, classAttendance.
///
/// Findings: `wrong-type` (``Finding/Kind/reject``) for an isActive, and for `users` also an activo, that is not boolean; the
/// document is left alone.
package struct IsActive: Migration {
  package let id = "is-active"
  package let summary = "Writes isActive where it is missing: true, or what a user's activo says."
  /// The root collections that have the field, according to the schema.
  package let reads = GymSchema.schema.collections.map(\.pattern).filter {
    $0.parent == nil && GymSchema.schema.collection($0)?.softDelete?.path == Self.isActive
  }

  private static let isActive = FieldPath(field: UserField.isActive.rawValue)

  package var strategy: MigrationStrategy { .perDocument(reads, outcome) }

  package init() {}

  /// Returns the outcome of one document; a document of another collection is left unchanged.
  package func outcome(for document: RawDocument) -> Outcome {
    let collection = document.path.collection
    guard reads.contains(collection) else { return Outcome(.unchanged) }
    let legacy =
      collection == GymCollection.users ? document.fields[UserField.activo.rawValue] ?? .null : .null
    return Self.outcome(for: document, legacy: legacy)
  }

  /// Returns the outcome of a document with a value of the legacy field, null if it has none.
  static func outcome(for document: RawDocument, legacy: Value) -> Outcome {
    let current = document.fields[UserField.isActive.rawValue] ?? .null
    var findings: [Finding] = []
    for (field, value) in [(UserField.isActive, current), (.activo, legacy)]
    where !value.isNull && value.boolean == nil {
      findings.append(document.wrongType(field, found: value))
    }
    if !findings.isEmpty { return Outcome(.skip, findings: findings) }
    if current.boolean != nil { return Outcome(.unchanged) }

    let edit: FieldEdit = [UserField.isActive.rawValue: .boolean(legacy.boolean ?? true)]
    let reason: UsersUnify.Reason = legacy.boolean == nil ? .isActiveDefault : .isActiveFromActivo
    return Outcome(.change(document.changing(edit, reasons: [reason.rawValue])))
  }
}
