import YAML

struct CollectionReader {
  private let nodes: SchemaNodes
  private var yaml: YAMLFile { nodes.yaml }
  private let pattern: CollectionPath
  /// The references and their nodes, for errors that can only be found once all collections are read.
  private var references: [(reference: FieldReference, node: YAMLNode)] = []

  init(_ nodes: SchemaNodes, _ pattern: CollectionPath) {
    self.nodes = nodes
    self.pattern = pattern
  }

  private static let keys = [
    "label", "documents", "document-id", "id-field", "create-time", "update-time", "soft-delete", "immutable",
    "ordered-by", "filtered-by", "decoding", "catalogue", "personal-data", "mask", "unknown-fields",
    "forbidden",
    "unique", "search", "import", "fields",
  ]

  mutating func collection(_ node: YAMLNode) throws(Failure) -> CollectionSchema {
    let members = try yaml.members(node, "the collection '\(pattern)'", known: Self.keys)
    var reader = FieldReader(nodes)
    if let declared = members.first(where: { $0.name == "fields" }) {
      for (name, key, value) in try yaml.members(declared.value, "'fields'", known: nil) {
        try reader.read(name, key, value, below: nil)
      }
    }
    let fields = reader.fields
    references = reader.references
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
    case "label": collection.labels = try nodes.labels(value)
    case "documents": collection.documents = try nodes.texts(value, name)
    case "document-id":
      let rules = CollectionSchema.DocumentIDRule.named
      collection.documentID = try nodes.form(value, name, rules) { .pattern($0) }
    case "id-field": collection.idField = try declared(value, name, .string, in: collection)
    case "create-time": collection.createTime = try timeField(value, name, in: collection)
    case "update-time": collection.updateTime = try timeField(value, name, in: collection)
    case "soft-delete": collection.softDelete = try softDelete(value, in: collection)
    case "immutable": collection.immutability = try immutability(value, in: collection)
    case "ordered-by": collection.orderedBy = try declaredList(value, name, in: collection)
    case "filtered-by": collection.filteredBy = try declaredList(value, name, in: collection)
    case "decoding":
      collection.isDecodedStrictly = try nodes.choice(value, name, [("strict", true), ("lenient", false)])
    case "catalogue": collection.isCatalogue = try yaml.boolean(value, name)
    case "personal-data":
      let text = try yaml.text(value, name)
      collection.personalData = text == "none" ? .free : .holds(text)
    case "mask": collection.mask = try nodes.mask(value, ofIDs: true)
    case "unknown-fields":
      collection.expectsUnknownFields =
        try nodes.choice(value, name, [("expected", true), ("unexpected", false)])
    case "forbidden":
      collection.forbidden = try nodes.list(value, name, nodes.path)
      if let both = collection.forbidden.first(where: { collection.field($0) != nil }) {
        throw yaml.failure(at: value, "'\(both)' is declared among the fields; expected one or the other")
      }
    case "unique":
      collection.unique = try nodes.list(value, name) { node throws(Failure) in
        try declaredList(node, name, in: collection)
      }
    case "import": collection.imports = try ImportReader(nodes).settings(value)
    default:
      for (part, _, value) in try yaml.members(value, "'search'", known: ["texts", "phones", "when"]) {
        switch part {
        case "texts": collection.searchedTexts = try searched(value, part, in: collection)
        case "phones": collection.searchedPhones = try searched(value, part, in: collection)
        default:
          let forms = [("always", false), ("named", true)]
          collection.isSearchedWhenNamed = try nodes.choice(value, part, forms)
        }
      }
    }
  }

  // MARK: Collections

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
        setter = try nodes.choice(value, member, [("server", .server), ("client", .client)])
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
    let members = try yaml.members(node, "'soft-delete'", known: ["field", "deleted", "absent", "also"])
    guard let field = members.first(where: { $0.name == "field" })?.value else {
      throw yaml.failure(at: node, "'soft-delete' has no 'field'; expected field: NAME")
    }
    var rule = CollectionSchema.SoftDelete(path: try declared(field, "soft-delete", .boolean, in: collection))
    for (member, _, value) in members {
      if member == "deleted" { rule.deleted = try yaml.boolean(value, member) }
      if member == "absent" {
        rule.absentIsDeleted = try nodes.choice(value, member, [("active", false), ("deleted", true)])
      }
      if member == "also" { rule.also = try declaredList(value, "also", .boolean, in: collection) }
    }
    return rule
  }

  private func immutability(
    _ node: YAMLNode,
    in collection: CollectionSchema
  ) throws(Failure) -> CollectionSchema.Immutability {
    guard case .mapping = node.content else {
      return try nodes.choice(node, "immutable", [("always", .always), ("never", .none)])
    }
    let members = try yaml.members(node, "'immutable'", known: ["when"])
    guard let value = members.first?.value else {
      throw yaml.failure(at: node, "'immutable' is empty; expected always, or when: FILTER")
    }
    let (text, filter) = try nodes.filter(value, "when")
    // A field that no document has would protect nothing.
    if let hint = [collection].hints(of: filter.fields).first {
      throw yaml.failure(at: value, "'when' protects nothing: \(hint)")
    }
    return .when(text, filter)
  }

  // MARK: Declared fields

  /// Reads fields for `find` to search: declared fields, and fields in maps and arrays without declared fields.
  private func searched(
    _ node: YAMLNode,
    _ name: String,
    in collection: CollectionSchema
  ) throws(Failure) -> [FieldPath] {
    try nodes.list(node, name) { node throws(Failure) in
      let path = try nodes.path(node)
      let paths = collection.fields.map(\.path)
      let isWithin = paths.contains { above in
        if above == path { return true }
        return above.isPrefix(of: path) && !paths.contains { $0 != above && above.isPrefix(of: $0) }
      }
      return collection.fields.isEmpty || isWithin ? path : try declared(node, "search", nil, in: collection)
    }
  }

  /// Reads a field that the collection declares with a certain type.
  private func declared(
    _ node: YAMLNode,
    _ name: String,
    _ type: FieldType?,
    in collection: CollectionSchema
  ) throws(Failure) -> FieldPath {
    let path = try nodes.path(node)
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
    _ type: FieldType? = nil,
    in collection: CollectionSchema
  ) throws(Failure) -> [FieldPath] {
    guard case .sequence = node.content else { return [try declared(node, name, type, in: collection)] }
    return try nodes.list(node, name) { node throws(Failure) in
      try declared(node, name, type, in: collection)
    }
  }

  /// Checks that a heading can be read, without knowing its language: no duplicate labels, none that is another field's path,
  /// and none that is reserved.
  private func checkLabels(_ fields: [FieldSchema], at node: YAMLNode) throws(Failure) {
    var seen: [UTF8Key: FieldPath] = [:]
    for field in fields { seen[UTF8Key(field.path.description)] = field.path }
    for field in fields {
      for (_, label) in field.labels.sorted(by: { $0.key < $1.key }) {
        if let other = seen[UTF8Key(label)], other != field.path {
          throw yaml.failure(
            at: node,
            "the label '\(label)' of \(field.path) is that of \(other), too; expected another one"
          )
        }
        seen[UTF8Key(label)] = field.path
        let isReserved = label.hasPrefix("__") && label.hasSuffix("__")
        if isReserved || !PlainText.trimmed(label).isIdentical(to: label) {
          throw yaml.failure(
            at: node,
            "the label '\(label)' of \(field.path) is no heading; expected a text without white space around it, and not __…__"
          )
        }
      }
    }
  }

  // MARK: References

  /// Checks the collections and fields that references name, once all collections are read.
  func checkReferences(in schema: DatabaseSchema) throws(Failure) {
    for (reference, node) in references {
      guard let target = schema.collection(reference.collection) else {
        throw yaml.failure(
          at: node,
          "'\(reference.collection)' is not declared; expected one of "
            + schema.collections.map(\.pattern.string).joined(separator: ", ")
        )
      }
      if let mirror = reference.mirror, target.field(mirror)?.reference?.collection != pattern {
        throw yaml.failure(
          at: node,
          "'\(mirror)' of \(target.pattern) does not name \(pattern); expected a field with reference: \(pattern)"
        )
      }
    }
  }
}
