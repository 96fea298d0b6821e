import FirestoreREST
import Schema
import Tables

/// Documents as plain JSON for a program, with their names as `__name__` and untyped values.
///
/// A value that comes back as it was sent is unchanged in the document; this is determined per member and per element, and for
/// numbers by their numeric value. So is one that comes back under another name alone. All other values get the types of the schema; without one, a double that becomes another
/// number stays a double.
struct PlainDocument {
  private let original: RawDocument
  private let reader: PlainJSON
  private let collection: CollectionSchema?
  /// The document that came back, while its fields are read.
  private var answered: JSONCursor?
  /// What may have come back under other names; nil before a name is new.
  private var moves: PlainMoves?

  /// The first field with distinct elements that look the same, of which fewer or more came back, so that it is not known which.
  private(set) var ambiguous: FieldPath?

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
    var known = original.fields
    known["__name__" as String] = .string(name)
    answered = json
    defer { answered = nil }
    var fields = try fields(json, known, at: [])
    fields["__name__" as String] = nil
    return fields
  }

  private mutating func fields(
    _ json: JSONCursor,
    _ original: FieldMap,
    at path: [String]
  ) throws(WireError) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for (name, member) in json.members {
      let name = name.string
      do throws(WireError) {
        let value = try value(member, original[name], at: path + [name])
        entries.append(FieldMap.Entry(name: name, value: value))
      } catch {
        throw error.inside(name)
      }
    }
    return FieldMap(entries)
  }

  private mutating func value(
    _ json: JSONCursor,
    _ original: Value?,
    at path: [String]
  ) throws(WireError) -> Value {
    guard let original else { return try newValue(json, at: path) }
    if json.isPlain(original) { return original }
    switch (json.kind, original) {
    case (.object, .map(let fields)) where fields.vector == nil:
      // An object may be a scalar value, such as a reference, depending on its members.
      if let value = try? reader.value(json, at: path), value.map == nil { return value }
      return .map(try self.fields(json, fields, at: path))
    case (.array, .array(let values)): return .array(try elements(json, values, at: path + ["[]"]))
    default:
      let field = FieldPath(segments: path).flatMap { collection?.field(throughElements: $0) }
      return try reader.value(json, at: path).typed(by: field, like: original)
    }
  }

  /// Reads a value under a name that the document did not have.
  private mutating func newValue(_ json: JSONCursor, at path: [String]) throws(WireError) -> Value {
    let read = try reader.value(json, at: path)
    let moves = moves ?? answered.map { PlainMoves(from: original.fields, to: $0) }
    self.moves = moves
    guard let moves, !moves.isEmpty else { return read }
    if !isDeclared(path), let value = moves.origin(of: json) { return value }
    switch (json.kind, read) {
    case (.object, .map(let fields)) where fields.vector == nil:
      return .map(try self.fields(json, moves.likelyMap(json) ?? FieldMap(), at: path))
    case (.array, .array): return .array(try elements(json, [], at: path + ["[]"]))
    default: return read
    }
  }

  private func isDeclared(_ path: [String]) -> Bool {
    let field = FieldPath(segments: path).flatMap { collection?.field(throughElements: $0) }
    return !(field?.types.isEmpty ?? true)
  }

  /// Reads the elements of an array, keeping the original value of each that is still present, at whatever position.
  private mutating func elements(
    _ json: JSONCursor,
    _ original: [Value],
    at path: [String]
  ) throws(WireError) -> [Value] {
    let answered = Array(json.elements)
    let match = PlainMatch(answered, original)
    var likely = LikelyOrigins(of: original.indices.filter { !match.isUsed[$0] }, in: original)
    var values: [Value] = []
    for (index, element) in answered.enumerated() {
      if let place = match.places[index] {
        values.append(original[place])
        continue
      }
      do throws(WireError) {
        let place = likely.take(for: element, at: index, isMoved: answered.count != original.count)
        let value = try value(element, place.map { original[$0] }, at: path)
        if case .array = value { throw WireError("it is an array within an array") }
        values.append(value)
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    if match.isAmbiguous || likely.isAmbiguous, ambiguous == nil {
      ambiguous = FieldPath(segments: path.filter { !$0.isIdentical(to: "[]") })
    }
    return values
  }
}
