// The check that writes must pass; used by import, fix, migrations in YAML and mirror push.

extension CollectionSchema {
  /// Returns the violations that a document to be written adds to those of the stored one: another kind of violation of a field,
  /// or one of another field.
  ///
  /// - Parameters:
  ///   - before: The fields of the stored document; nil if there is none, or if it is not known.
  ///   - times: The fields that the service sets, whatever they hold.
  ///   - isPartial: Whether the document has only the fields to change, so that other fields do not count as missing.
  package func breaches(
    by document: RawDocument,
    over before: FieldMap? = nil,
    settingTimes times: [FieldPath] = [],
    isPartial: Bool = false
  ) -> [SchemaViolation] {
    let found = violations(in: document).filter { violation in
      guard let field = violation.field else { return true }
      return !times.contains(field) && !(isPartial && violation.isMissing && document.fields[field] == nil)
    }
    guard let before, !found.isEmpty else { return found }
    let former = violations(in: RawDocument(path: document.path, fields: before))
    return found.filter { new in !former.contains { $0.kind == new.kind && $0.field == new.field } }
  }

  /// Returns the violations of a complete document in parsed JSON, as ``breaches(by:over:settingTimes:isPartial:)``.
  ///
  /// - Throws: ``WireError`` if the document must be decoded to find out.
  package func breaches(
    by document: WireDocument,
    settingTimes times: [FieldPath]
  ) throws(WireError) -> [SchemaViolation] {
    let found = try violations(in: document)
    if times.isEmpty { return found }
    return found.filter { violation in violation.field.map { !times.contains($0) } ?? true }
  }
}
