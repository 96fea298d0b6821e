/// Explains names that a schema does not know, since nothing else would say why a command finds nothing.
extension DatabaseSchema {
  /// Returns a hint for a collection or a collection pattern whose name is close to a declared one; nil if it is declared itself,
  /// or close to none.
  package func hint(of path: CollectionPath) -> String? {
    if collection(path) != nil { return nil }
    return hint(path.string, meant: path.pattern.string.nearest(of: collections.map(\.pattern.string)))
  }

  /// Returns the same hint for the name of a table, which may also be the label of a declared collection.
  package func hint(ofTable path: CollectionPath) -> String? {
    if collection(path) != nil { return nil }
    let labelled = collections.first { collection in
      collection.labels.values.contains { PlainText.saySame($0, path.string) }
    }
    return labelled.flatMap { hint(path.string, meant: $0.pattern.string) } ?? hint(of: path)
  }

  /// Returns the same hint for the ID of a collection group.
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
  /// Returns hints for fields that none of the collections declares; empty if one of the collections declares no fields at all.
  ///
  /// - Parameter isNear: Whether to report only fields whose names are close to a declared one.
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

  /// Returns hints for values in a filter that the schema does not permit in their fields.
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
    // Range comparisons with values of another type are deliberate: `phone > 0` finds numbers, `total > ""` texts.
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

  /// Returns the shortest prefix of a path that is not declared; nil if the path is declared, or is below a map that may hold
  /// anything.
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

  /// Returns a hint for a path that leads through a field without members; nil if a map may be there.
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

  /// Returns the declared sibling that was probably meant by an undeclared field, by its label or a similar name.
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

  /// The declared names in a map; for no segments, those of the document.
  private func names(below parent: ArraySlice<String>) -> Set<UTF8Key> {
    let paths = flatMap(\.fields).map(\.path.segments)
    let below = paths.filter { path in
      path.count > parent.count && zip(path, parent).allSatisfy { $0.isIdentical(to: $1) }
    }
    return Set(below.map { UTF8Key($0[parent.count]) })
  }
}

extension FieldSchema {
  /// Whether the field's values can be compared with a value; integers and doubles can be compared with each other.
  fileprivate func isComparable(with value: Value) -> Bool {
    switch value {
    case .integer, .double: types.isEmpty || types.contains(.integer) || types.contains(.double)
    default: accepts(value)
    }
  }

  /// Returns a hint that the field does not have the value's type, and suggests the same text as a value that fits.
  fileprivate func hint(ofType value: Value) -> String {
    let said = "The schema has \(typeNames) in '\(path)', and \(value.literal) is \(value.typeName)."
    let other = value.string.map(Self.scalar) ?? .string(value.literal)
    guard let other, isComparable(with: other) else { return said }
    return "\(said) Did you mean \(other.literal)?"
  }

  /// The boolean or the number that a text represents.
  private static func scalar(_ text: String) -> Value? {
    BooleanWords.truth[text.lowercased()].map { Value.boolean($0) } ?? ValueLiteral.number(text)
  }

  /// Returns a hint that the value is not one of the permitted ones, with the closest one or all of them.
  fileprivate func hint(ofValue value: Value) -> String {
    let known = (values ?? []).map(\.literal)
    let near = value.literal.nearest(of: known).map { "Did you mean \($0)?" }
    return
      "The schema lets '\(path)' have no value \(value.literal). \(near ?? "It has \(known.joined(separator: ", ")).")"
  }
}
