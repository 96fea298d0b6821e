// How what is written is held to the schema: import, fix, migrations in YAML and mirror push ask here.

extension CollectionSchema {
  /// How a document that is to be written breaks the schema more than the one that is there: by another kind of violation of
  /// a field, or of another field.
  ///
  /// - Parameters:
  ///   - before: The fields of the document that is there; nil where there is none, or where it is not known.
  ///   - times: The fields that the service sets, whatever they hold.
  ///   - isPartial: Whether the document holds only fields that are to change, so that none of them is missing.
  package func breaches(
    by document: RawDocument,
    over before: FieldMap? = nil,
    settingTimes times: [FieldPath] = [],
    isPartial: Bool = false
  ) -> [SchemaViolation] {
    let found = violations(in: document).filter { violation in
      guard let field = violation.field else { return true }
      let isMissing = violation.kind == .missing || violation.kind == .idMissing
      return !times.contains(field) && !(isPartial && isMissing && document.fields[field] == nil)
    }
    guard let before, !found.isEmpty else { return found }
    let former = violations(in: RawDocument(path: document.path, fields: before))
    return found.filter { new in !former.contains { $0.kind == new.kind && $0.field == new.field } }
  }

  /// How a document of a parsed text, that is to be written, breaks the schema, as ``breaches(by:over:settingTimes:isPartial:)``
  /// of a whole document.
  ///
  /// - Throws: Why it has to be decoded to find out.
  package func breaches(
    by document: WireDocument,
    settingTimes times: [FieldPath]
  ) throws(WireError) -> [SchemaViolation] {
    let found = try violations(in: document)
    if times.isEmpty { return found }
    return found.filter { violation in violation.field.map { !times.contains($0) } ?? true }
  }
}
