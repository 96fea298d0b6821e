import FirestoreREST
import Schema
import Tables

/// Documents as plain JSON for a program: their names as `__name__`, and values without types.
///
/// What comes back as it was sent stays the value that the document has: per member, per element, numbers by what they are worth.
/// All else has the types of the schema; where it has none, a double that becomes another number stays a double.
struct PlainDocument {
  private let original: RawDocument
  private let reader: PlainJSON
  private let collection: CollectionSchema?

  /// The most pairs of elements that are compared in one array, so that a long one takes no minutes.
  private static let maximumPairs = 1_000_000

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
    var fields = try fields(json, original.fields, at: [])
    fields["__name__" as String] = nil
    return fields
  }

  private func fields(
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

  private func value(
    _ json: JSONCursor,
    _ original: Value?,
    at path: [String]
  ) throws(WireError) -> Value {
    guard let original else { return try reader.value(json, at: path) }
    if json.isPlain(original) { return original }
    switch (json.kind, original) {
    case (.object, .map(let fields)) where fields.vector == nil:
      // An object may be a value by its members, such as a reference.
      if let value = try? reader.value(json, at: path), value.map == nil { return value }
      return .map(try self.fields(json, fields, at: path))
    case (.array, .array(let values)): return .array(try elements(json, values, at: path + ["[]"]))
    default:
      let field = FieldPath(segments: path).flatMap { collection?.field(throughElements: $0) }
      return try reader.value(json, at: path).typed(by: field, like: original)
    }
  }

  /// The elements of an array: those at its two ends that came back as they were, and of the others each that is still there,
  /// wherever it stands now.
  private func elements(
    _ json: JSONCursor,
    _ original: [Value],
    at path: [String]
  ) throws(WireError) -> [Value] {
    let answered = Array(json.elements)
    let head = zip(answered, original).prefix { $0.isPlain($1) }.count
    let ends = zip(answered[head...].reversed(), original[head...].reversed())
    let tail = ends.prefix { $0.isPlain($1) }.count
    let (changed, old) = (answered[head..<(answered.count - tail)], original[head..<(original.count - tail)])
    var free = changed.count * old.count > Self.maximumPairs ? [] : Array(old.indices)
    var values = Array(original[..<head])
    for (index, element) in zip(changed.indices, changed) {
      if let place = free.firstIndex(where: { element.isPlain(original[$0]) }) {
        values.append(original[free.remove(at: place)])
        continue
      }
      do throws(WireError) {
        let value = try value(element, old.indices.contains(index) ? original[index] : nil, at: path)
        if case .array = value { throw WireError("it is an array within an array") }
        values.append(value)
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    return values + original[(original.count - tail)...]
  }
}

extension JSONCursor {
  /// Whether it is what a value is as plain JSON, however its numbers are written: 3 is 3.0, and an integer beyond 2^53 is the
  /// double that most programs make of it.
  fileprivate func isPlain(_ value: Value) -> Bool {
    switch value {
    case .null: return isNull
    case .boolean(let flag): return boolean == flag
    case .integer(let number):
      if let integer, integer == number { return true }
      let isRounded = number.magnitude > 1 << 53
      return double == Double(number) && (isRounded || integer == nil)
    case .double(let number):
      if number.isFinite { return double == number }
      return isText(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity")
    case .timestamp(let moment): return isText(moment.description)
    case .string(let text), .reference(let text): return isText(text)
    case .bytes(let bytes): return isText(Base64.standard(bytes))
    case .geoPoint(let point):
      return kind == .object && Array(members).count == 2
        && self["latitude"]?.double == point.latitude && self["longitude"]?.double == point.longitude
    case .array(let values): return isPlain(values)
    case .map(let fields):
      if let vector = fields.vector { return isPlain(vector.map { Value.double($0) }) }
      guard kind == .object else { return false }
      var count = 0
      for (name, member) in members {
        guard let value = fields[name.string], member.isPlain(value) else { return false }
        count += 1
      }
      return count == fields.count
    }
  }

  private func isPlain(_ values: [Value]) -> Bool {
    guard kind == .array else { return false }
    var rest = elements
    for value in values {
      guard let element = rest.next(), element.isPlain(value) else { return false }
    }
    return rest.next() == nil
  }

  private func isText(_ text: String) -> Bool { string?.isIdentical(to: text) ?? false }
}
