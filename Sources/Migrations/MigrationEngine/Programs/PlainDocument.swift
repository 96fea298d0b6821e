import FirestoreREST
import Schema
import Tables

/// Documents as plain JSON for a program: their names as `__name__`, and values without types.
///
/// What comes back has the types of the schema. What the schema does not declare keeps the type that the document has, where the
/// program left the value as it is, or a number a number.
struct PlainDocument {
  private let original: RawDocument
  private let reader: PlainJSON

  init(
    _ original: RawDocument,
    in database: DatabaseName,
    _ schema: DatabaseSchema,
    _ zone: LocalTimeZone
  ) {
    self.original = original
    var options = TableOptions(timeZone: zone)
    (options.schema, options.database) = (schema, database)
    var reader = PlainJSON(original.path.collection, options)
    reader.readsMarks = false
    self.reader = reader
  }

  /// The line that asks.
  static func question(_ document: RawDocument) -> [UInt8] {
    JSONWriter.object { json in
      json.key("__name__")
      json.string(document.path.string)
      PlainJSONWriter.write(document.fields, to: &json)
    }
  }

  /// Whether an answer is a document.
  static func isDocument(_ json: JSONCursor) -> Bool { json["__name__"] != nil }

  /// The fields of a document that comes back.
  func fields(_ json: JSONCursor) throws(WireError) -> FieldMap {
    guard let name = json["__name__"]?.string else { throw WireError("it is no text", at: ["__name__"]) }
    guard name.isIdentical(to: original.path.string) else { throw WireError("it is about \(name)") }
    let sent = try JSONParser.decode(Self.question(original)) { json, _ throws(WireError) in
      try read(json)
    }
    return Self.typed(try read(json), sent, original.fields)
  }

  private func read(_ json: JSONCursor) throws(WireError) -> FieldMap {
    var fields = try reader.fields(json)
    fields["__name__" as String] = nil
    return fields
  }

  private static func typed(_ answered: FieldMap, _ sent: FieldMap, _ original: FieldMap) -> FieldMap {
    FieldMap(
      answered.entries.map { entry in
        guard let sent = sent[entry.name], let original = original[entry.name] else { return entry }
        return FieldMap.Entry(name: entry.name, value: typed(entry.value, sent, original))
      }
    )
  }

  private static func typed(_ answered: Value, _ sent: Value, _ original: Value) -> Value {
    if answered == sent { return original }
    switch (answered, sent, original) {
    case (.map(let answered), .map(let sent), .map(let original)):
      return .map(typed(answered, sent, original))
    case (.integer(let number), _, .double): return Double(exactly: number).map { .double($0) } ?? answered
    default: return answered
    }
  }
}
