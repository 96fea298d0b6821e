import YAML

/// Reads the fields of a collection, each before the fields below it.
struct FieldReader {
  private let nodes: SchemaNodes
  private var yaml: YAMLFile { nodes.yaml }
  /// The fields so far, in the file's order.
  private(set) var fields: [FieldSchema] = []
  private(set) var references: [(reference: FieldReference, node: YAMLNode)] = []

  init(_ nodes: SchemaNodes) { self.nodes = nodes }

  /// Converts a whole default, such as `7`, of a field of doubles to the double that is written.
  ///
  /// Inlining it crashes the optimizer of Swift 6.3.1.
  @inline(never)
  private static func double(_ value: Value) -> Value {
    guard case .integer(let number) = value, let whole = Double(exactly: number) else { return value }
    return .double(whole)
  }

  mutating func read(
    _ name: String,
    _ key: YAMLNode,
    _ node: YAMLNode,
    below parent: FieldPath?
  ) throws(Failure) {
    if DocumentLimits.violations(of: FieldMap([.init(name: name, value: .null)])).first != nil {
      throw yaml.failure(at: key, "'\(name)' is not a field name that the service takes")
    }
    guard let path = FieldPath(segments: (parent?.segments ?? []) + [name]) else {
      throw yaml.failure(at: key, "'\(name)' is not a field name")
    }
    guard case .mapping = node.content else {
      fields.append(FieldSchema(path, try types(node)))
      return
    }
    let known = [
      "type", "required", "values", "deprecated", "format", "range", "default", "reference", "label",
      "identifier", "number-format", "width", "highlight", "elements", "fields", "mask", "keys",
    ]
    let members = try yaml.members(node, "the field '\(name)'", known: known)
    var field = FieldSchema(path)
    if let type = members.first(where: { $0.name == "type" }) { field.types = try types(type.value) }
    var below: [(name: String, key: YAMLNode, value: YAMLNode)] = []
    for (member, key, value) in members where member != "type" {
      switch member {
      case "required": field.isRequired = try yaml.boolean(value, member)
      case "values": field.values = try nodes.list(value, member, nodes.value)
      case "deprecated": field.deprecated = try nodes.list(value, member, nodes.value)
      case "format":
        field.format = try nodes.form(value, member, FieldFormat.named, pattern: FieldFormat.pattern)
      case "range": field.range = try range(value, of: field)
      case "default": field.defaultValue = try nodes.value(value)
      case "reference":
        let reference = try reference(value)
        field.reference = reference
        references.append((reference, value))
      case "label": field.labels = try nodes.labels(value)
      case "identifier": field.isIdentifier = try yaml.boolean(value, member)
      case "number-format": field.numberFormat = try yaml.text(value, member)
      case "width":
        guard let width = value.text.flatMap({ Double($0) }), (1...255).contains(width) else {
          throw nodes.unexpected(value, member, "a number from 1 to 255")
        }
        field.width = width
      case "highlight": field.highlight = try nodes.highlight(value, of: field.types)
      case "mask": field.mask = try nodes.mask(value)
      case "keys":
        for (_, _, rule) in try yaml.members(value, "'keys'", known: ["mask"]) {
          field.keyMask = try nodes.mask(rule, ofIDs: true)
        }
      case "elements":
        guard field.types == [.array] else {
          throw yaml.failure(at: key, "only an array has elements; expected type: array beside them")
        }
        var reader = FieldReader(nodes)
        try reader.read(FieldSchema.elementName, key, value, below: nil)
        field.elements = reader.fields
        references += reader.references
      default:
        guard field.types == [.map] else {
          throw yaml.failure(at: key, "only a map has fields; expected type: map beside them")
        }
        below = try yaml.members(value, "'fields'", known: nil)
      }
    }
    try check(field, members)
    if field.types == [.double] { field.defaultValue = field.defaultValue.map(Self.double) }
    if case .phone? = field.format { field.isIdentifier = true }
    if field.reference != nil { field.isIdentifier = true }
    if let rule = field.mask { field.maskElements(by: rule) }
    fields.append(field)
    for (name, key, value) in below { try read(name, key, value, below: path) }
  }

  /// Checks that a field's members are consistent.
  private func check(
    _ field: FieldSchema,
    _ members: [(name: String, key: YAMLNode, value: YAMLNode)]
  ) throws(Failure) {
    func node(_ name: String) -> YAMLNode? { members.first { $0.name == name }?.value }
    let declared = [
      ("values", field.values ?? []), ("deprecated", field.deprecated),
      ("default", field.defaultValue.map { [$0] } ?? []),
    ]
    for (name, values) in declared {
      if let value = values.first(where: { !field.accepts($0) }) {
        throw yaml.failure(at: node(name), "\(value.typeName) in '\(name)'; expected \(field.typeNames)")
      }
    }
    if let values = field.values {
      if values.isEmpty { throw yaml.failure(at: node("values"), "'values' is empty; expected a list") }
      if let other = field.deprecated.first(where: { !values.lists($0) }), !other.isNull {
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
    if let keys = node("keys"), node("fields") ?? node("elements") != nil {
      throw yaml.failure(
        at: keys,
        "'keys' is about a map whose fields are not declared; expected no fields or elements beside it"
      )
    }
    if field.reference != nil, field.types != [.string], field.types != [.reference] {
      throw yaml.failure(at: node("reference"), "expected type: string or type: reference beside it")
    }
    if let format = field.numberFormat {
      guard !field.types.isEmpty, field.types.allSatisfy({ [.integer, .double].contains($0) }) else {
        throw yaml.failure(at: node("number-format"), "expected type: integer or double beside it")
      }
      // A workbook with such a format would have dates, durations or texts in place of the numbers.
      let ofNumbers: [NumberFormat] = [.number, .percent, .percentSign]
      if format.filter({ $0 != "\\" }) == "@" || !ofNumbers.contains(NumberFormat(format)) {
        throw yaml.failure(
          at: node("number-format"),
          "expected the format of a number, not of a text, a date or a time; letters in it have quotes: '0 \"days\"'"
        )
      }
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
    if case .sequence = node.content { return try nodes.list(node, "type", type) }
    return node.text == "any" ? [] : [try type(node)]
  }

  private func range(_ node: YAMLNode, of field: FieldSchema) throws(Failure) -> ValueRange {
    var range = ValueRange()
    for (name, _, bound) in try yaml.members(node, "'range'", known: ["min", "max"]) {
      let value = try nodes.value(bound)
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
    guard case .mapping = node.content else { return FieldReference(collection: try collection(node)) }
    var target: CollectionPath?
    var mirror: FieldPath?
    for (name, _, value) in try yaml.members(node, "'reference'", known: ["collection", "mirror"]) {
      if name == "collection" { target = try collection(value) } else { mirror = try nodes.path(value) }
    }
    guard let target else {
      throw yaml.failure(at: node, "'reference' has no 'collection'; expected collection: NAME")
    }
    return FieldReference(collection: target, mirror: mirror)
  }
}
