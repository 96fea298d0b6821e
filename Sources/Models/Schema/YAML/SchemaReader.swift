package import FirestoreModels
import YAML

/// Reads a schema file: the collections, their fields, and what commands may do with them.
///
/// docs/schema.md has the
/// keys.
///
///     schema: shop
///     time-zone: Europe/Madrid
///     collections:
///       customers:
///         update-time: updatedAt
///         fields:
///           name: { type: string, required: true, label: { es: Nombre } }
///           updatedAt: timestamp
package struct SchemaReader {
  private let yaml: YAMLFile
  private let context = LiteralContext(database: DatabaseName(project: "schema"))

  /// Parses a schema file.
  ///
  /// - Parameters:
  ///   - text: The YAML.
  ///   - path: Its path, for errors.
  /// - Throws: `.configuration` with the line and column of the error, and what was expected there.
  package static func schema(parsing text: String, path: String) throws(Failure) -> DatabaseSchema {
    let yaml = YAMLFile(path, kind: .configuration, operation: "read the schema")
    return try SchemaReader(yaml: yaml).schema(try yaml.parse(text, allowsAliases: false))
  }

  private func schema(_ root: YAMLNode) throws(Failure) -> DatabaseSchema {
    var name: String?
    var timeZone: String?
    var entries: [(name: String, key: YAMLNode, value: YAMLNode)] = []
    let known = ["schema", "time-zone", "collections"]
    for (member, _, value) in try yaml.members(root, "a schema", known: known) {
      switch member {
      case "schema": name = try yaml.text(value, "schema")
      case "time-zone": timeZone = try yaml.text(value, "time-zone")
      default: entries = try yaml.members(value, "'collections'", known: nil)
      }
    }
    guard let name else { throw yaml.failure(at: root, "it has no name; expected 'schema: NAME'") }
    if entries.isEmpty {
      throw yaml.failure(at: root, "it declares no collections; expected 'collections:' with one at least")
    }
    var collections: [CollectionSchema] = []
    var nodes: [CollectionPath: CollectionReader] = [:]
    for (text, key, value) in entries {
      let pattern = try self.pattern(text, at: key)
      var reader = CollectionReader(yaml: yaml, context: context, pattern: pattern)
      collections.append(try reader.collection(value))
      nodes[pattern] = reader
    }
    let schema = DatabaseSchema(name: name, timeZone: timeZone, collections: collections)
    for collection in collections {
      try nodes[collection.pattern]?.checkReferences(of: collection, in: schema)
    }
    return schema
  }

  private func pattern(_ text: String, at key: YAMLNode) throws(Failure) -> CollectionPath {
    guard let path = CollectionPath(text), path.pattern == path else {
      throw yaml.failure(
        at: key,
        "'\(text)' is not a collection; expected a path with * for document IDs, as orders or orders/*/items"
      )
    }
    return path
  }
}

/// Reads one collection of a schema file.
private struct CollectionReader {
  let yaml: YAMLFile
  let context: LiteralContext
  let pattern: CollectionPath
  /// Where a reference was declared, for errors that need all collections.
  private var references: [FieldPath: YAMLNode] = [:]

  init(yaml: YAMLFile, context: LiteralContext, pattern: CollectionPath) {
    self.yaml = yaml
    self.context = context
    self.pattern = pattern
  }

  private static let keys = [
    "label", "documents", "document-id", "id-field", "create-time", "update-time", "soft-delete", "immutable",
    "ordered-by", "filtered-by", "decoding", "catalogue", "personal-data", "unknown-fields", "forbidden",
    "unique", "search", "fields",
  ]

  mutating func collection(_ node: YAMLNode) throws(Failure) -> CollectionSchema {
    let members = try yaml.members(node, "the collection '\(pattern)'", known: Self.keys)
    var fields: [FieldSchema] = []
    if let declared = members.first(where: { $0.name == "fields" }) {
      for (name, key, value) in try yaml.members(declared.value, "'fields'", known: nil) {
        fields += try self.fields(name, key, value, below: nil)
      }
    }
    try checkLabels(fields, at: node)
    var collection = CollectionSchema(pattern, fields: fields)
    for (name, key, value) in members where name != "fields" {
      try set(name, key, value, of: &collection)
    }
    // The columns depend on the field of the ID.
    collection.set(fields)
    return collection
  }

  private func set(
    _ name: String,
    _ key: YAMLNode,
    _ value: YAMLNode,
    of collection: inout CollectionSchema
  ) throws(Failure) {
    switch name {
    case "label": collection.labels = try labels(value)
    case "documents": collection.documents = try texts(value, name)
    case "document-id": collection.documentID = try documentID(value)
    case "id-field": collection.idField = try declared(value, name, .string, in: collection)
    case "create-time": collection.createTime = try timeField(value, name, in: collection)
    case "update-time": collection.updateTime = try timeField(value, name, in: collection)
    case "soft-delete": collection.softDelete = try softDelete(value, in: collection)
    case "immutable": collection.immutability = try immutability(value)
    case "ordered-by": collection.orderedBy = try declaredList(value, name, in: collection)
    case "filtered-by": collection.filteredBy = try declaredList(value, name, in: collection)
    case "decoding":
      collection.isDecodedStrictly = try choice(value, name, ["strict", "lenient"]) == "strict"
    case "catalogue": collection.isCatalogue = try yaml.boolean(value, name)
    case "personal-data":
      let text = try yaml.text(value, name)
      collection.personalData = text == "none" ? .free : .holds(text)
    case "unknown-fields":
      collection.expectsUnknownFields = try choice(value, name, ["expected", "unexpected"]) == "expected"
    case "forbidden":
      collection.forbidden = try list(value, name) { node throws(Failure) in try path(node) }
      if let both = collection.forbidden.first(where: { collection.field($0) != nil }) {
        throw yaml.failure(at: value, "'\(both)' is declared among the fields; expected one or the other")
      }
    case "unique":
      collection.unique = try list(value, name) { node throws(Failure) in
        try declaredList(node, name, in: collection)
      }
    default:
      for (part, _, value) in try yaml.members(value, "'search'", known: ["texts", "phones"]) {
        if part == "texts" {
          collection.searchedTexts = try texts(value, part)
        } else {
          collection.searchedPhones = try texts(value, part)
        }
      }
    }
  }

  // MARK: Collections

  private func documentID(_ node: YAMLNode) throws(Failure) -> CollectionSchema.DocumentIDRule {
    if case .mapping = node.content {
      let members = try yaml.members(node, "'document-id'", known: ["pattern"])
      guard let value = members.first?.value else {
        throw yaml.failure(at: node, "'document-id' is empty; expected pattern: EXPRESSION")
      }
      return .pattern(try textPattern(value))
    }
    switch try choice(node, "document-id", ["auto", "uuid", "uid", "email"]) {
    case "auto": return .auto
    case "uuid": return .uuid
    case "uid": return .uid
    default: return .email
    }
  }

  private func timeField(
    _ node: YAMLNode,
    _ name: String,
    in collection: CollectionSchema
  ) throws(Failure) -> CollectionSchema.TimeField {
    guard case .mapping = node.content else {
      return .init(path: try declared(node, name, .timestamp, in: collection))
    }
    var path: FieldPath?
    var setter = CollectionSchema.TimeField.Setter.server
    for (member, _, value) in try yaml.members(node, "'\(name)'", known: ["field", "set-by"]) {
      if member == "field" {
        path = try declared(value, name, .timestamp, in: collection)
      } else {
        setter = try choice(value, member, ["server", "client"]) == "server" ? .server : .client
      }
    }
    guard let path else { throw yaml.failure(at: node, "'\(name)' has no 'field'; expected field: NAME") }
    return .init(path: path, setter: setter)
  }

  private func softDelete(
    _ node: YAMLNode,
    in collection: CollectionSchema
  ) throws(Failure) -> CollectionSchema.SoftDelete {
    guard case .mapping = node.content else {
      return .init(path: try declared(node, "soft-delete", .boolean, in: collection))
    }
    var rule: CollectionSchema.SoftDelete?
    let members = try yaml.members(node, "'soft-delete'", known: ["field", "deleted", "absent"])
    if let field = members.first(where: { $0.name == "field" }) {
      rule = .init(path: try declared(field.value, "soft-delete", .boolean, in: collection))
    }
    guard var rule else { throw yaml.failure(at: node, "'soft-delete' has no 'field'; expected field: NAME") }
    for (member, _, value) in members {
      if member == "deleted" { rule.deleted = try yaml.boolean(value, member) }
      if member == "absent" {
        rule.absentIsDeleted = try choice(value, member, ["active", "deleted"]) == "deleted"
      }
    }
    return rule
  }

  private func immutability(_ node: YAMLNode) throws(Failure) -> CollectionSchema.Immutability {
    guard case .mapping = node.content else {
      return try choice(node, "immutable", ["always", "never"]) == "always" ? .always : .none
    }
    let members = try yaml.members(node, "'immutable'", known: ["when"])
    guard let value = members.first?.value else {
      throw yaml.failure(at: node, "'immutable' is empty; expected always, or when: FILTER")
    }
    let text = try yaml.text(value, "when")
    do throws(WireError) {
      return .when(text, DocumentFilter(try FilterExpression.parse(text, in: context)))
    } catch {
      throw yaml.failure(at: value, "\(error); expected a filter, as status == completed")
    }
  }

  // MARK: Fields

  private mutating func fields(
    _ name: String,
    _ key: YAMLNode,
    _ node: YAMLNode,
    below parent: FieldPath?
  ) throws(Failure) -> [FieldSchema] {
    if DocumentLimits.violations(of: FieldMap([.init(name: name, value: .null)])).first != nil {
      throw yaml.failure(at: key, "'\(name)' is not a field name that the service takes")
    }
    guard let path = FieldPath(segments: (parent?.segments ?? []) + [name]) else {
      throw yaml.failure(at: key, "'\(name)' is not a field name")
    }
    guard case .mapping = node.content else {
      return [FieldSchema(path, try types(node))]
    }
    let known = [
      "type", "required", "values", "deprecated", "format", "range", "default", "reference", "label",
      "identifier", "number-format", "width", "fields",
    ]
    let members = try yaml.members(node, "the field '\(name)'", known: known)
    var field = FieldSchema(path)
    if let type = members.first(where: { $0.name == "type" }) { field.types = try types(type.value) }
    var below: [FieldSchema] = []
    for (member, key, value) in members where member != "type" {
      switch member {
      case "required": field.isRequired = try yaml.boolean(value, member)
      case "values": field.values = try list(value, member) { node throws(Failure) in try self.value(node) }
      case "deprecated":
        field.deprecated = try list(value, member) { node throws(Failure) in try self.value(node) }
      case "format": field.format = try format(value)
      case "range": field.range = try range(value, of: field)
      case "default": field.defaultValue = try self.value(value)
      case "reference":
        field.reference = try reference(value)
        references[path] = value
      case "label": field.labels = try labels(value)
      case "identifier": field.isIdentifier = try yaml.boolean(value, member)
      case "number-format": field.numberFormat = try yaml.text(value, member)
      case "width":
        guard let width = value.text.flatMap({ Double($0) }), (1...255).contains(width) else {
          throw yaml.failure(
            at: value,
            "'width' is \(value.text ?? value.kind); expected a number from 1 to 255"
          )
        }
        field.width = width
      default:
        guard field.types == [.map] else {
          throw yaml.failure(at: key, "only a map has fields; expected type: map beside them")
        }
        for (name, key, value) in try yaml.members(value, "'fields'", known: nil) {
          below += try fields(name, key, value, below: path)
        }
      }
    }
    try check(field, members)
    if case .phone? = field.format { field.isIdentifier = true }
    if field.reference != nil { field.isIdentifier = true }
    return [field] + below
  }

  /// Checks what a field's members say together.
  private func check(
    _ field: FieldSchema,
    _ members: [(name: String, key: YAMLNode, value: YAMLNode)]
  ) throws(Failure) {
    func node(_ name: String) -> YAMLNode? { members.first { $0.name == name }?.value }
    for name in ["values", "deprecated", "default"] {
      let values = name == "values" ? field.values ?? [] : name == "deprecated" ? field.deprecated : []
      for value in name == "default" ? [field.defaultValue].compactMap({ $0 }) : values
      where !field.accepts(value) {
        throw yaml.failure(at: node(name), "\(value.typeName) in '\(name)'; expected \(field.typeNames)")
      }
    }
    if let values = field.values {
      if values.isEmpty { throw yaml.failure(at: node("values"), "'values' is empty; expected a list") }
      if let other = field.deprecated.first(where: { !values.contains($0) }), !other.isNull {
        throw yaml.failure(
          at: node("deprecated"),
          "a deprecated value is not in 'values'; expected it there, too"
        )
      }
    } else if !field.deprecated.isEmpty {
      throw yaml.failure(at: node("deprecated"), "'deprecated' without 'values'; expected both")
    }
    if let value = field.defaultValue, let cause = field.problem(of: value) {
      throw yaml.failure(at: node("default"), "the default breaks the field's own rule: expected \(cause)")
    }
    if field.format != nil, field.types != [.string] {
      throw yaml.failure(at: node("format"), "only a text has a format; expected type: string beside it")
    }
    if field.reference != nil, field.types != [.string], field.types != [.reference] {
      throw yaml.failure(at: node("reference"), "expected type: string or type: reference beside it")
    }
    if field.numberFormat != nil,
      field.types.isEmpty || !field.types.allSatisfy({ [.integer, .double].contains($0) })
    {
      throw yaml.failure(at: node("number-format"), "expected type: integer or double beside it")
    }
  }

  private func types(_ node: YAMLNode) throws(Failure) -> [FieldType] {
    let names = FieldType.allCases.map(\.rawValue)
    func type(_ node: YAMLNode) throws(Failure) -> FieldType {
      guard let text = node.text, let type = FieldType(rawValue: text) else {
        throw yaml.failure(
          at: node,
          "'\(node.text ?? node.kind)' is not a type; expected any, or \(names.joined(separator: ", "))"
        )
      }
      return type
    }
    if case .sequence = node.content {
      return try list(node, "type") { node throws(Failure) in try type(node) }
    }
    return node.text == "any" ? [] : [try type(node)]
  }

  private func format(_ node: YAMLNode) throws(Failure) -> FieldFormat {
    if case .mapping = node.content {
      guard let value = try yaml.members(node, "'format'", known: ["pattern"]).first?.value else {
        throw yaml.failure(at: node, "'format' is empty; expected pattern: EXPRESSION")
      }
      return .pattern(try textPattern(value))
    }
    let name = try choice(node, "format", FieldFormat.named.map(\.name))
    guard let format = FieldFormat.named.first(where: { $0.name == name })?.format else {
      throw yaml.failure(at: node, "'\(name)' is not a format")
    }
    return format
  }

  private func textPattern(_ node: YAMLNode) throws(Failure) -> TextPattern {
    let text = try yaml.text(node, "pattern")
    guard let pattern = TextPattern(text) else {
      throw yaml.failure(at: node, "'\(text)' is not valid; expected a regular expression")
    }
    return pattern
  }

  private func range(_ node: YAMLNode, of field: FieldSchema) throws(Failure) -> ValueRange {
    var range = ValueRange()
    for (name, _, bound) in try yaml.members(node, "'range'", known: ["min", "max"]) {
      let value = try value(bound)
      let isTime = field.types == [.timestamp]
      guard isTime ? value.timestamp != nil : value.isNumber else {
        throw yaml.failure(
          at: bound,
          "'\(name)' is \(value.typeName); expected \(isTime ? "a time as ts(2026-01-01)" : "a number")"
        )
      }
      if name == "min" { range.minimum = value } else { range.maximum = value }
    }
    if range.isEmpty { throw yaml.failure(at: node, "'range' is empty; expected min, max or both") }
    if let minimum = range.minimum, let maximum = range.maximum, ValueOrder.compare(minimum, maximum) > 0 {
      throw yaml.failure(at: node, "'min' is above 'max'; expected it below")
    }
    let measurable: [FieldType] = [.integer, .double, .timestamp, .string, .array]
    guard !field.types.isEmpty, field.types.allSatisfy(measurable.contains) else {
      throw yaml.failure(
        at: node,
        "expected type: integer, double, timestamp, string (its length) or array (its length) beside 'range'"
      )
    }
    return range
  }

  private func reference(_ node: YAMLNode) throws(Failure) -> FieldReference {
    func collection(_ node: YAMLNode) throws(Failure) -> CollectionPath {
      let text = try yaml.text(node, "reference")
      guard let path = CollectionPath(text), !text.utf8.contains(UInt8(ascii: "/")) else {
        throw yaml.failure(at: node, "'\(text)' is not a collection of the root; expected one, as customers")
      }
      return path
    }
    guard case .mapping = node.content else { return FieldReference(try collection(node)) }
    var target: CollectionPath?
    var mirror: FieldPath?
    for (name, _, value) in try yaml.members(node, "'reference'", known: ["collection", "mirror"]) {
      if name == "collection" { target = try collection(value) } else { mirror = try path(value) }
    }
    guard let target else {
      throw yaml.failure(at: node, "'reference' has no 'collection'; expected collection: NAME")
    }
    return FieldReference(target, mirror: mirror)
  }

  func checkReferences(of collection: CollectionSchema, in schema: DatabaseSchema) throws(Failure) {
    for field in collection.fields {
      guard let reference = field.reference else { continue }
      guard let target = schema.collection(reference.collection) else {
        throw yaml.failure(
          at: references[field.path],
          "'\(reference.collection)' is not declared; expected one of "
            + schema.collections.map(\.pattern.string).joined(separator: ", ")
        )
      }
      if let mirror = reference.mirror, target.field(mirror)?.reference?.collection != pattern {
        throw yaml.failure(
          at: references[field.path],
          "'\(mirror)' of \(target.pattern) does not name \(pattern); expected a field with reference: \(pattern)"
        )
      }
    }
  }

  // MARK: Labels

  private func labels(_ node: YAMLNode) throws(Failure) -> [String: String] {
    var labels: [String: String] = [:]
    for (language, key, value) in try yaml.members(node, "'label'", known: nil) {
      guard (2...3).contains(language.utf8.count), language.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
      else {
        throw yaml.failure(at: key, "'\(language)' is not a language; expected its code, as en or es")
      }
      labels[language] = try yaml.text(value, language)
    }
    return labels
  }

  /// A heading must be read without knowing its language: no label twice, and none that is another field's path.
  private func checkLabels(_ fields: [FieldSchema], at node: YAMLNode) throws(Failure) {
    var seen: [UTF8Key: FieldPath] = [:]
    for field in fields { seen[UTF8Key(field.path.description)] = field.path }
    for field in fields {
      for (_, label) in field.labels.sorted(by: { $0.key < $1.key }) {
        if let other = seen[UTF8Key(label)], other != field.path {
          throw yaml.failure(
            at: node,
            "the label '\(label)' of \(field.path) stands for \(other), too; expected another one"
          )
        }
        seen[UTF8Key(label)] = field.path
      }
    }
  }

  // MARK: Parts

  private func path(_ node: YAMLNode) throws(Failure) -> FieldPath {
    do throws(FieldPathError) {
      return try FieldPath(parsing: node.text ?? "")
    } catch {
      throw yaml.failure(at: node, "\(error.description); expected a field, as price or address.city")
    }
  }

  /// A field that the collection declares, of a type.
  private func declared(
    _ node: YAMLNode,
    _ name: String,
    _ type: FieldType?,
    in collection: CollectionSchema
  ) throws(Failure) -> FieldPath {
    let path = try path(node)
    guard let field = collection.field(path) else {
      throw yaml.failure(at: node, "'\(path)' in '\(name)' is not declared; expected it among 'fields'")
    }
    if let type, field.types != [type] {
      throw yaml.failure(
        at: node,
        "'\(path)' in '\(name)' must be a \(type.rawValue); expected type: \(type.rawValue)"
      )
    }
    return path
  }

  private func declaredList(
    _ node: YAMLNode,
    _ name: String,
    in collection: CollectionSchema
  ) throws(Failure) -> [FieldPath] {
    guard case .sequence = node.content else { return [try declared(node, name, nil, in: collection)] }
    return try list(node, name) { node throws(Failure) in try declared(node, name, nil, in: collection) }
  }

  private func list<Element>(
    _ node: YAMLNode,
    _ name: String,
    _ element: (YAMLNode) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    guard case .sequence(let items) = node.content, !items.isEmpty else {
      throw yaml.failure(at: node, "'\(name)' is \(node.kind); expected a list, as [a, b]")
    }
    var elements: [Element] = []
    for item in items { elements.append(try element(item)) }
    return elements
  }

  private func texts(_ node: YAMLNode, _ name: String) throws(Failure) -> [String] {
    try list(node, name) { node throws(Failure) in try yaml.text(node, name) }
  }

  private func choice(_ node: YAMLNode, _ name: String, _ known: [String]) throws(Failure) -> String {
    guard let text = node.text, known.contains(where: { $0.isIdentical(to: text) }) else {
      let found = node.text ?? node.kind
      throw yaml.failure(at: node, "'\(found)' in '\(name)'; expected \(known.joined(separator: ", "))")
    }
    return text
  }

  /// A literal: a plain scalar as in filters, a quoted one a text.
  private func value(_ node: YAMLNode) throws(Failure) -> Value {
    switch node.content {
    case .scalar(let text, isPlain: false): return .string(text)
    case .scalar(let text, isPlain: true) where !text.isEmpty:
      do throws(WireError) {
        return try ValueLiteral.parse(text, in: context)
      } catch {
        throw yaml.failure(at: node, "\(error)")
      }
    default:
      throw yaml.failure(at: node, "\(node.kind); expected a value, as 7, true, \"text\" or ts(2026-01-01)")
    }
  }
}
