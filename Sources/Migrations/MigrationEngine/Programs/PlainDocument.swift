import Schema
import Tables

/// Documents as plain JSON for a program, with their names as `__name__` and untyped values.
///
/// What is a value of the document, in its place or another (``PlainOrigins``), keeps its type. All other values get the types of
/// the schema; without one, a double that becomes another number stays a double.
struct PlainDocument {
  private let original: RawDocument
  private let reader: PlainJSON
  private let collection: CollectionSchema?

  /// Values that look like others of the document and have another type.
  private(set) var notes: [Finding] = []
  /// The first field whose value cannot be known or stored, and why.
  private(set) var unclear: (field: FieldPath, reason: String)?

  init(
    _ original: RawDocument,
    in database: DatabaseName,
    _ schema: DatabaseSchema,
    _ zone: LocalTimeZone
  ) {
    self.original = original
    collection = schema.collection(original.path.collection)
    var options = TableOptions(timeZone: zone)
    (options.schema, options.database) = (schema, database)
    var reader = PlainJSON(original.path.collection, options)
    reader.readsMarks = false
    self.reader = reader
  }

  /// Returns the line to send for a document.
  static func question(_ document: RawDocument) -> [UInt8] {
    JSONWriter.object { json in
      json.key("__name__")
      json.string(document.path.string)
      PlainJSONWriter.write(document.fields, to: &json)
    }
  }

  /// Whether an answer is a document.
  static func isDocument(_ json: JSONCursor) -> Bool { json["__name__"] != nil }

  /// Returns the fields of a document that came back.
  mutating func fields(_ json: JSONCursor) throws(WireError) -> FieldMap {
    guard let name = json["__name__"]?.string else { throw WireError("it is no text", at: ["__name__"]) }
    guard name.isIdentical(to: original.path.string) else { throw WireError("it is about \(name)") }
    let origins = PlainOrigins(json, from: original.fields, rule: rule)
    if let field = origins.ambiguous { unclear = (field, DeclarativeMigration.lookingAlike) }
    return try value(0, origins).map ?? FieldMap()
  }

  /// Says whether the schema determines what a place holds, or that it holds members or elements.
  private func rule(_ json: JSONCursor, _ path: [String]) -> PlainOrigins.Rule {
    guard let field = declared(path), !field.types.isEmpty else { return .free }
    switch (json.kind, try? reader.value(json, at: path)) {
    case (.object, .map(let fields)?) where fields.vector == nil: return .isContainer
    case (.array, .array?), (.object, nil), (.array, nil): return .isContainer
    default: return .isDeclared
    }
  }

  private func declared(_ path: [String]) -> FieldSchema? {
    FieldPath(segments: path).flatMap { collection?.field(throughElements: $0) }
  }

  private mutating func value(_ index: Int, _ origins: PlainOrigins) throws(WireError) -> Value {
    let place = origins.places[index]
    if let origin = place.origin {
      if place.isDoubtful { note("taken for", at: place.path, origins.old[origin]) }
      return origins.old[origin].value
    }
    let value: Value
    switch place.json.kind {
    case .object where place.rule != .isDeclared:
      var entries: [FieldMap.Entry] = []
      for part in origins.parts(of: index) {
        let name = origins.places[part].path.last ?? ""
        entries.append(FieldMap.Entry(name: name, value: try self.value(part, origins)))
      }
      value = .map(FieldMap(entries))
    case .array where place.rule != .isDeclared:
      var values: [Value] = []
      for part in origins.parts(of: index) {
        let element = try self.value(part, origins)
        if case .array = element { leave(place.path, "an array within an array cannot be stored") }
        values.append(element)
      }
      value = .array(values)
    default: value = read(place, like: place.changed.map { origins.old[$0].value })
    }
    if index > 0, place.rule == .free, let other = origins.lookalike(of: index, as: value) {
      note("\(value.typeName) that looks like", at: place.path, other)
    }
    return value
  }

  /// Reads a value that is none of the document.
  private mutating func read(_ place: PlainOrigins.Place, like changed: Value?) -> Value {
    do throws(WireError) {
      return try reader.value(place.json, at: place.path).typed(by: declared(place.path), like: changed)
    } catch {
      let isLarge = place.json.kind == .integer && place.json.integer == nil
      leave(place.path, isLarge ? "a number that is new there does not fit 64 bits" : error.reason)
      return .null
    }
  }

  private mutating func leave(_ path: [String], _ reason: String) {
    if unclear == nil, let field = PlainOrigins.field(path) { unclear = (field, reason) }
  }

  private mutating func note(_ what: String, at path: [String], _ other: PlainOrigins.Old) {
    guard let field = PlainOrigins.field(path), let name = PlainOrigins.field(other.path) else { return }
    let message =
      "\(field): \(what) the \(other.value.typeName) of \(name), as plain JSON does not tell them apart."
    if notes.contains(where: { $0.message == message }) { return }
    notes.append(.typeChanged(field, of: original.path, other.value, message))
  }
}
