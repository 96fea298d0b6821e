package import Schema

/// How data differs from its schema, by collection and field.
package struct SchemaDrift: Sendable {
  package struct Difference: Sendable, Equatable {
    /// The collection, as a pattern.
    package var collection: CollectionPath
    /// The field; nil if the difference concerns the collection or the IDs.
    package var field: FieldPath?
    /// The kind: that of a ``SchemaViolation``, `collection-undeclared`, `collection-absent` or `field-absent`.
    package var kind: String
    /// What the schema expects, or what was found if it declares nothing.
    package var expected: String
    /// The number of documents with the difference, and the number of documents examined.
    package var count = 0
    package var documents = 0
    package var example: DocumentPath?

    package func write(to json: inout JSONWriter) {
      json.object {
        $0.member("collection", collection.string)
        $0.member("field", field?.description)
        $0.member("kind", kind)
        $0.member("expected", expected)
        $0.member("count", count)
        $0.member("documents", documents)
        $0.member("example", example?.string)
      }
    }
  }

  private struct Key: Hashable {
    var collection: CollectionPath
    var field: FieldPath?
    var kind: String
  }

  private let schema: DatabaseSchema
  private var found: [Key: Difference] = [:]

  package init(from schema: DatabaseSchema) {
    self.schema = schema
  }

  package mutating func add(_ document: RawDocument) {
    guard let collection = schema.collection(document.path.collection) else { return }
    // Undeclared fields are known from the profile, with their types.
    for violation in collection.violations(in: document) where violation.kind != .undeclared {
      let key = Key(collection: collection.pattern, field: violation.field, kind: violation.kind.rawValue)
      if found[key] != nil {
        found[key]?.count += 1
        continue
      }
      found[key] = Difference(
        collection: key.collection,
        field: key.field,
        kind: key.kind,
        expected: violation.expected,
        count: 1,
        example: document.path
      )
    }
  }

  /// Returns the differences once all documents have been read, sorted by collection, field and kind.
  ///
  /// - Parameter isRead: Returns whether a declared collection was to be read.
  package func differences(
    from profiles: [CollectionProfile],
    covering isRead: (CollectionPath) -> Bool
  ) -> [Difference] {
    var differences = Array(found.values)
    for profile in profiles {
      guard let declared = schema.collection(profile.pattern) else {
        differences.append(
          Difference(
            collection: profile.pattern,
            kind: "collection-undeclared",
            expected: "a collection of the schema",
            count: profile.documents,
            documents: profile.documents
          )
        )
        continue
      }
      for index in differences.indices where differences[index].collection == profile.pattern {
        differences[index].documents = profile.documents
      }
      if declared.documents != nil { continue }
      differences += Self.undeclared(profile, declared) + Self.absent(profile, declared)
    }
    for declared in schema.collections where isRead(declared.pattern) {
      if profiles.contains(where: { $0.pattern == declared.pattern }) { continue }
      differences.append(
        Difference(
          collection: declared.pattern,
          kind: "collection-absent",
          expected: "documents"
        )
      )
    }
    return differences.sorted { a, b in
      if a.collection != b.collection { return a.collection < b.collection }
      let (first, second) = (a.field?.description ?? "", b.field?.description ?? "")
      let order = first.compareUTF8(second)
      return order == 0 ? a.kind < b.kind : order < 0
    }
  }

  private static func undeclared(_ profile: CollectionProfile, _ declared: CollectionSchema) -> [Difference] {
    var differences: [Difference] = []
    for field in profile.fields {
      if declared.field(field.path) != nil || declared.forbidden.contains(field.path) { continue }
      // The contents of a map without declared fields, or of an undeclared one, are not compared.
      if let parent = FieldPath(segments: Array(field.path.segments.dropLast())) {
        let hasDeclaredFields = declared.fields.contains { $0.path != parent && parent.isPrefix(of: $0.path) }
        if declared.field(parent) == nil || !hasDeclaredFields { continue }
      }
      differences.append(
        Difference(
          collection: profile.pattern,
          field: field.path,
          kind: SchemaViolation.Kind.undeclared.rawValue,
          expected:
            "a declared field; found \(field.profile.types.map(\.type.rawValue).joined(separator: " or "))",
          count: field.profile.present,
          documents: profile.documents
        )
      )
    }
    return differences
  }

  private static func absent(_ profile: CollectionProfile, _ declared: CollectionSchema) -> [Difference] {
    let known = Set(profile.fields.map(\.path))
    return declared.fields.compactMap { field in
      if known.contains(field.path) { return nil }
      // The fields of a map that is missing everywhere are not reported separately.
      if let parent = FieldPath(segments: Array(field.path.segments.dropLast())), !known.contains(parent) {
        return nil
      }
      return Difference(
        collection: profile.pattern,
        field: field.path,
        kind: "field-absent",
        expected: "\(field.typeNames.isEmpty ? "a value" : field.typeNames) in some document",
        documents: profile.documents
      )
    }
  }
}
