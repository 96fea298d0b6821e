import YAML

/// Writes a schema as the YAML that ``SchemaReader`` reads, one line per field.
package struct SchemaWriter {
  private var lines: [String] = []

  package static func yaml(_ schema: DatabaseSchema) -> String {
    var writer = SchemaWriter()
    writer.write(schema)
    return writer.lines.joined(separator: "\n") + "\n"
  }

  private mutating func write(_ schema: DatabaseSchema) {
    lines.append("schema: \(Self.text(schema.name))")
    if let zone = schema.timeZone { lines.append("time-zone: \(Self.text(zone))") }
    lines.append("")
    lines.append("collections:")
    for (index, collection) in schema.collections.enumerated() {
      if index > 0 { lines.append("") }
      write(collection)
    }
  }

  private mutating func write(_ collection: CollectionSchema) {
    lines.append("  \(Self.key(collection.pattern.string, indent: "  ")):")
    func add(_ name: String, _ value: String?) {
      if let value { lines.append("    \(name): \(value)") }
    }
    add("label", Self.labels(collection.labels))
    add("documents", collection.documents.map { Self.list($0.map(Self.text)) })
    if case .pattern(let pattern) = collection.documentID {
      add("document-id", "{ pattern: \(Self.quoted(pattern.text)) }")
    } else {
      let rules = CollectionSchema.DocumentIDRule.named
      add("document-id", rules.first { $0.value == collection.documentID }?.name)
    }
    add("id-field", collection.idField.map(Self.path))
    add("create-time", collection.createTime.map(Self.time))
    add("update-time", collection.updateTime.map(Self.time))
    add("soft-delete", collection.softDelete.map(Self.softDelete))
    switch collection.immutability {
    case .none: break
    case .always: add("immutable", "always")
    case .when(let filter, _): add("immutable", "{ when: \(Self.quoted(filter)) }")
    }
    add("ordered-by", Self.paths(collection.orderedBy))
    add("filtered-by", Self.paths(collection.filteredBy))
    add("decoding", collection.isDecodedStrictly ? "strict" : nil)
    add("catalogue", collection.isCatalogue ? "true" : nil)
    switch collection.personalData {
    case .unknown: break
    case .free: add("personal-data", "none")
    case .holds(let reason): add("personal-data", Self.text(reason))
    }
    add("mask", collection.mask.map { Self.text($0.text) })
    add("unknown-fields", collection.expectsUnknownFields ? nil : "unexpected")
    add("forbidden", Self.paths(collection.forbidden))
    add(
      "unique",
      collection.unique.isEmpty
        ? nil
        : Self.list(collection.unique.map { $0.count == 1 ? Self.path($0[0]) : Self.list($0.map(Self.path)) })
    )
    var search: [String] = []
    for (name, paths) in [("texts", collection.searchedTexts), ("phones", collection.searchedPhones)] {
      guard let paths, name == "texts" || !paths.isEmpty else { continue }
      search.append("\(name): \(Self.list(paths.map(Self.path)))")
    }
    if collection.isSearchedWhenNamed { search.append("when: named") }
    add("search", search.isEmpty ? nil : "{ \(search.joined(separator: ", ")) }")
    write(collection.imports)
    if collection.fields.isEmpty { return }
    lines.append("    fields:")
    var index = 0
    write(collection.fields, &index, below: nil, indent: "      ")
  }

  private mutating func write(_ imports: ImportSettings) {
    var members: [String] = []
    if !imports.files.isEmpty { members.append("files: \(Self.list(imports.files.map(Self.quoted)))") }
    if let sheet = imports.sheet { members.append("sheet: \(Self.quoted(sheet))") }
    for (name, texts) in imports.reading.shown {
      let list = texts.map(Self.quoted)
      members.append("\(name): \(list.count == 1 ? list[0] : Self.list(list))")
    }
    if members.isEmpty { return }
    lines.append("    import:")
    for member in members { lines.append("      \(member)") }
  }

  /// Writes the fields directly below a path, each followed by its own.
  private mutating func write(
    _ fields: [FieldSchema],
    _ index: inout Int,
    below parent: FieldPath?,
    indent: String
  ) {
    while index < fields.count {
      let field = fields[index]
      let segments = field.path.segments
      guard FieldPath(segments: segments.dropLast()) == parent else { return }
      index += 1
      let next = index < fields.count ? fields[index].path : nil
      let hasFields = next.map { $0 != field.path && field.path.isPrefix(of: $0) } ?? false
      let name = Self.key(segments[segments.count - 1], indent: indent)
      let members = Self.members(of: field)
      if hasFields {
        lines.append("\(indent)\(name):")
        for member in members { lines.append("\(indent)  \(member)") }
        lines.append("\(indent)  fields:")
        write(fields, &index, below: field.path, indent: indent + "    ")
      } else if members.count == 1, members[0].hasPrefix("type: ") {
        lines.append("\(indent)\(name): \(members[0].dropFirst("type: ".count))")
      } else {
        lines.append("\(indent)\(name): { \(members.joined(separator: ", ")) }")
      }
    }
  }

  private static func members(of field: FieldSchema) -> [String] {
    var members = ["type: \(types(field.types))"]
    if field.isRequired { members.append("required: true") }
    if let values = field.values { members.append("values: \(list(values.map(\.literal)))") }
    if !field.deprecated.isEmpty { members.append("deprecated: \(list(field.deprecated.map(\.literal)))") }
    if let format = field.format {
      if case .pattern(let pattern) = format {
        members.append("format: { pattern: \(quoted(pattern.text)) }")
      } else {
        members.append("format: \(format.name)")
      }
    }
    if !field.range.isEmpty {
      let bounds = [("min", field.range.minimum), ("max", field.range.maximum)]
      let shown = bounds.compactMap { name, bound in bound.map { "\(name): \($0.literal)" } }
      members.append("range: { \(shown.joined(separator: ", ")) }")
    }
    if let value = field.defaultValue { members.append("default: \(value.literal)") }
    if let reference = field.reference {
      let collection = text(reference.collection.string)
      members.append(
        reference.mirror.map { "reference: { collection: \(collection), mirror: \(path($0)) }" }
          ?? "reference: \(collection)"
      )
    }
    let isImplied = field.reference != nil || field.format == .phone
    if field.isIdentifier, !isImplied { members.append("identifier: true") }
    if let format = field.numberFormat { members.append("number-format: \(quoted(format))") }
    if let width = field.width { members.append("width: \(Value.double(width).literal)") }
    if let highlight = field.highlight { members.append("highlight: \(Self.highlight(highlight))") }
    if let rule = field.mask { members.append("mask: \(text(rule.text))") }
    if let rule = field.keyMask { members.append("keys: { mask: \(text(rule.text)) }") }
    if let labels = labels(field.labels) { members.append("label: \(labels)") }
    if let element = field.elements.first {
      members.append("elements: \(elements(element, field.elements.dropFirst()))")
    }
    return members
  }

  /// The declaration of an array's elements, on one line.
  private static func elements(_ field: FieldSchema, _ below: ArraySlice<FieldSchema>) -> String {
    var members = self.members(of: field)
    let count = field.path.segments.count + 1
    let inner = below.filter { $0.path.segments.count == count && field.path.isPrefix(of: $0.path) }
    let fields = inner.map { "\(key($0.path.segments[count - 1])): \(elements($0, below))" }
    if !fields.isEmpty { members.append("fields: { \(fields.joined(separator: ", ")) }") }
    if members.count == 1, let type = members.first { return String(type.dropFirst("type: ".count)) }
    return "{ \(members.joined(separator: ", ")) }"
  }

  // MARK: Parts

  package static func types(_ types: [FieldType]) -> String {
    types.isEmpty ? "any" : types.count == 1 ? types[0].rawValue : list(types.map(\.rawValue))
  }

  private static func highlight(_ highlight: FieldHighlight) -> String {
    switch highlight {
    case .withinDays(let days): return "{ within-days: \(days) }"
    case .range(let minimum, let maximum):
      let bounds = [("min", minimum), ("max", maximum)]
      let shown = bounds.compactMap { name, bound in
        bound.map { "\(name): \(Int64(exactly: $0).map { String($0) } ?? String($0))" }
      }
      return "{ \(shown.joined(separator: ", ")) }"
    }
  }

  private static func list(_ items: [String]) -> String { "[\(items.joined(separator: ", "))]" }

  private static func path(_ path: FieldPath) -> String { text(path.description) }

  private static func paths(_ paths: [FieldPath]) -> String? { paths.isEmpty ? nil : list(paths.map(path)) }

  private static func labels(_ labels: [String: String]) -> String? {
    if labels.isEmpty { return nil }
    let members = labels.sorted { $0.key < $1.key }.map { "\($0.key): \(text($0.value))" }
    return "{ \(members.joined(separator: ", ")) }"
  }

  private static func time(_ time: CollectionSchema.TimeField) -> String {
    time.setter == .server
      ? path(time.path) : "{ field: \(path(time.path)), set-by: \(time.setter.rawValue) }"
  }

  private static func softDelete(_ rule: CollectionSchema.SoftDelete) -> String {
    if !rule.deleted, !rule.absentIsDeleted, rule.also.isEmpty { return path(rule.path) }
    let also = rule.also.isEmpty ? "" : ", also: [\(rule.also.map(path).joined(separator: ", "))]"
    return "{ field: \(path(rule.path)), deleted: \(rule.deleted), "
      + "absent: \(rule.absentIsDeleted ? "deleted" : "active")\(also) }"
  }

  /// A name as a YAML key.
  ///
  /// A name outside ASCII is a plain scalar where possible, because only plain scalars keep names apart that differ in Unicode
  /// composition alone.
  ///
  /// - Parameter indent: The indentation of the mapping; nil for one in braces.
  package static func key(_ name: String, indent: String? = nil) -> String {
    let scalars = name.unicodeScalars
    if scalars.allSatisfy(\.isASCII) { return YAMLText.key(text(name), indent: indent) }
    let isPlain =
      scalars.first?.properties.isAlphabetic ?? false && scalars.last != " "
      && !scalars.contains(where: YAMLText.isSpecial)
      && scalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || scalar.properties.generalCategory == .nonspacingMark || "_-./* ".unicodeScalars.contains(scalar)
      }
    return YAMLText.key(isPlain ? name : text(name), indent: indent)
  }

  /// A text as a plain scalar if possible, otherwise in quotes.
  private static func text(_ text: String) -> String {
    let isPlain =
      text.utf8.first?.isASCIILetter ?? false
      && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-./ ".utf8.contains($0) }
      && !text.hasSuffix(" ")
      && !Value.reservedScalars.contains(text.lowercased())
    return isPlain ? text : quoted(text)
  }

  private static func quoted(_ text: String) -> String { YAMLText.quoted(text) }
}
