/// Names that a schema does not know, as sentences for people: nothing else would say why nothing is found.
extension DatabaseSchema {
  /// Says of a collection, or a pattern of collections, that it is spelled almost as one that is declared; nil where it is declared
  /// itself, or near none.
  package func hint(of path: CollectionPath) -> String? {
    if collection(path) != nil { return nil }
    return hint(path.string, meant: path.pattern.string.nearest(of: collections.map(\.pattern.string)))
  }

  /// The same of the name of a table, which may also be the label of a declared collection.
  package func hint(ofTable path: CollectionPath) -> String? {
    if collection(path) != nil { return nil }
    let labelled = collections.first { collection in
      collection.labels.values.contains { PlainText.saySame($0, path.string) }
    }
    return labelled.flatMap { hint(path.string, meant: $0.pattern.string) } ?? hint(of: path)
  }

  /// The same of the ID of a collection group.
  package func hint(ofGroup id: String) -> String? {
    if !declared(inGroup: id).isEmpty { return nil }
    return hint(id, meant: id.nearest(of: collections.map(\.pattern.id)))
  }

  private func hint(_ name: String, meant: String?) -> String? {
    meant.map { "The schema declares no collection '\(name)'. Did you mean '\($0)'?" }
  }

  /// The declared collections of a collection group.
  package func declared(inGroup id: String) -> [CollectionSchema] {
    collections.filter { $0.pattern.id.isIdentical(to: id) }
  }
}

extension [CollectionSchema] {
  /// Says of fields that none of the collections declares them; nothing where one declares no fields at all.
  ///
  /// - Parameter isNear: Whether only those count that are spelled almost as a declared one.
  package func hints(of fields: Set<FieldPath>, onlyNear isNear: Bool = false) -> [String] {
    if isEmpty || contains(where: \.fields.isEmpty) { return [] }
    let place = count == 1 ? "in \(self[0].pattern)" : "in any of these collections"
    func inOrder(_ fields: Set<FieldPath>) -> [FieldPath] {
      fields.sorted { $0.description.compareUTF8($1.description) < 0 }
    }
    let unknown = Set(fields.subtracting([.documentName]).compactMap(undeclared))
    let nowhere: [String] = isNear ? [] : inOrder(fields).compactMap(hint(ofNowhere:))
    let missing: [String] = inOrder(unknown).compactMap { field in
      let near = near(field)
      if isNear, near == nil { return nil }
      let meant = near.map { " Did you mean '\($0)'?" } ?? ""
      return "The schema declares no field '\(field)' \(place).\(meant)"
    }
    return nowhere + missing
  }

  /// Says of values in a filter that the schema lets no document have in their fields.
  package func hints(ofValuesIn filter: StructuredQuery.Filter) -> [String] {
    switch filter {
    case .and(let filters), .or(let filters): filters.flatMap(hints(ofValuesIn:))
    case .unary: []
    case .field(let field, let comparison, .array(let values)) where [.in, .notIn].contains(comparison):
      values.compactMap { hint(of: $0, in: field, comparison) }
    case .field(let field, let comparison, let value):
      hint(of: value, in: field, comparison).map { [$0] } ?? []
    }
  }

  private func hint(
    of value: Value,
    in field: FieldPath,
    _ comparison: StructuredQuery.FieldOperator
  ) -> String? {
    // By order, values of another type are looked for on purpose: `phone > 0` finds numbers, `total > ""` texts.
    let isOrder = comparison.isInequality && ![.notEqual, .notIn].contains(comparison)
    if isOrder, value.string?.isEmpty ?? true { return nil }
    let known = compactMap { $0.field(field) }
    let isOfElements = [.arrayContains, .arrayContainsAny].contains(comparison)
    guard !isEmpty, known.count == count, !isOfElements, value != .null else { return nil }
    if !known.contains(where: { $0.isComparable(with: value) }) {
      return known[0].hint(ofType: value)
    }
    if isOrder { return nil }
    let closed = known.compactMap(\.values)
    guard closed.count == known.count, !closed.contains(where: { $0.contains(value) }) else {
      return nil
    }
    return known[0].hint(ofValue: value)
  }

  /// The beginning of a path that is not declared; nil for a path that is, or is below a map that may hold anything.
  private func undeclared(_ field: FieldPath) -> FieldPath? {
    for depth in field.segments.indices {
      let known = names(below: field.segments[..<depth])
      if depth > 0, known.isEmpty { return nil }
      if !known.contains(UTF8Key(field.segments[depth])) {
        return FieldPath(segments: [String](field.segments[...depth]))
      }
    }
    return nil
  }

  /// Says of a path that it leads through a field that has no fields; nil where a map may be on the way.
  private func hint(ofNowhere field: FieldPath) -> String? {
    for depth in field.segments.indices.dropFirst() {
      guard let path = FieldPath(segments: [String](field.segments[..<depth])) else { continue }
      let known = compactMap { $0.field(path) }
      let holdsNone = known.allSatisfy { field in
        !field.types.isEmpty && !field.types.contains(.map) && !field.types.contains(.vector)
      }
      if known.count == count, holdsNone {
        let types = known[0].typeNames
        return "The schema has \(types) in '\(path)', and no map: nothing is in '\(field)'."
      }
    }
    return nil
  }

  /// The declared field beside one that is not that was probably meant: by its label, or spelled almost so.
  private func near(_ field: FieldPath) -> FieldPath? {
    if field.segments.count == 1,
      let labelled = flatMap(\.fields).first(where: { declared in
        declared.labels.values.contains { PlainText.saySame($0, field.segments[0]) }
      })
    {
      return labelled.path
    }
    let parent = field.segments.dropLast()
    let known = names(below: parent).sorted().map(\.string)
    let name = field.segments.last.flatMap { $0.nearest(of: known) }
    return name.flatMap { FieldPath(segments: parent + [$0]) }
  }

  /// The declared names in a map; those of the document for no segments.
  private func names(below parent: ArraySlice<String>) -> Set<UTF8Key> {
    let paths = flatMap(\.fields).map(\.path.segments)
    let below = paths.filter { path in
      path.count > parent.count && zip(path, parent).allSatisfy { $0.isIdentical(to: $1) }
    }
    return Set(below.map { UTF8Key($0[parent.count]) })
  }
}

extension FieldSchema {
  /// Whether a value may equal one of the field, or come before or after it: numbers of both kinds do.
  fileprivate func isComparable(with value: Value) -> Bool {
    switch value {
    case .integer, .double: types.isEmpty || types.contains(.integer) || types.contains(.double)
    default: accepts(value)
    }
  }

  /// Says that a value is of no type of the field, with the one of the same letters that is.
  fileprivate func hint(ofType value: Value) -> String {
    let said = "The schema has \(typeNames) in '\(path)', and \(value.literal) is \(value.typeName)."
    let other = value.string.map(Self.scalar) ?? .string(value.literal)
    guard let other, isComparable(with: other) else { return said }
    return "\(said) Did you mean \(other.literal)?"
  }

  /// The boolean or the number that a text is written as.
  private static func scalar(_ text: String) -> Value? {
    BooleanWords.truth[text.lowercased()].map { Value.boolean($0) } ?? ValueLiteral.number(text)
  }

  /// Says that a value is none of the closed ones, with the nearest, or with all.
  fileprivate func hint(ofValue value: Value) -> String {
    let known = (values ?? []).map(\.literal)
    let near = value.literal.nearest(of: known).map { "Did you mean \($0)?" }
    return
      "The schema lets '\(path)' have no value \(value.literal). \(near ?? "It has \(known.joined(separator: ", ")).")"
  }
}
