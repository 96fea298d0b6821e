package import FirestoreModels
import Schema

/// Makes fields of JSON without types: by the types of the schema where it has some, else by JSON's own.
package struct PlainJSON {
  private let types: [FieldPath: Column.ValueType]
  private let options: TableOptions

  package init(_ collection: CollectionPath, _ options: TableOptions) {
    self.options = options
    var types: [FieldPath: Column.ValueType] = [:]
    for column in options.schema.columns(of: collection) { types[column.path] = column.type }
    for type in options.types { types[FieldPath(field: type.heading)] = type.value.type }
    self.types = types
  }

  /// Returns the fields of an object.
  ///
  /// - Throws: ``WireError`` for what no document holds.
  package func fields(_ json: JSONCursor) throws(WireError) -> FieldMap { try fields(json, below: []) }

  private func fields(_ json: JSONCursor, below path: [String]) throws(WireError) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for (name, value) in json.members {
      let name = name.string
      do throws(WireError) {
        entries.append(FieldMap.Entry(name: name, value: try self.value(value, at: path + [name])))
      } catch {
        throw error.inside(name)
      }
    }
    return FieldMap(entries)
  }

  private func value(_ json: JSONCursor, at path: [String]) throws(WireError) -> Value {
    let type = FieldPath(segments: path).flatMap { types[$0] } ?? .any
    switch json.kind {
    case .null: return .null
    case .boolean: return .boolean(json.boolean ?? false)
    case .integer:
      if type == .double, let number = json.double { return .double(number) }
      guard let number = json.integer else { throw WireError("it does not fit 64 bits") }
      return .integer(number)
    case .double:
      let number = json.double ?? 0
      if type == .integer, let whole = Int64(exactly: number) { return .integer(whole) }
      return .double(number)
    case .string: return value(json.string ?? "", as: type)
    case .array:
      var values: [Value] = []
      for element in json.elements {
        if element.kind == .array { throw WireError("it is an array within an array") }
        values.append(try value(element, at: path + ["[]"]))
      }
      return .array(values)
    case .object:
      if let value = Self.marked(json) { return value }
      return .map(try fields(json, below: path))
    }
  }

  /// A text, or what it is by the schema's type; a text that is no such value stays one.
  private func value(_ text: String, as type: Column.ValueType) -> Value {
    text.withBytes { utf8 in
      switch type {
      case .timestamp:
        if let moment = Timestamp(rfc3339: utf8) { return .timestamp(moment) }
        let date = DateText(utf8, options.dateOrder ?? .dayFirst)
        if let moment = date.flatMap({ options.timeZone.moment(of: $0) }) { return .timestamp(moment) }
      case .reference:
        if let (path, named) = AddressText.reference(utf8), let database = named ?? options.database {
          return .reference(database.name(of: path))
        }
      case .geopoint: if let point = AddressText.geoPoint(utf8) { return .geoPoint(point) }
      case .bytes: if let bytes = Base64.decode(utf8) { return .bytes(bytes) }
      default: break
      }
      return .string(text)
    }
  }

  /// What Google's libraries write for times and geo points; nil for any other object.
  private static func marked(_ json: JSONCursor) -> Value? {
    var rest = json.members
    guard rest.next() != nil, rest.next() != nil, rest.next() == nil else { return nil }
    if let seconds = (json["_seconds"] ?? json["seconds"])?.integer,
      let nanoseconds = (json["_nanoseconds"] ?? json["nanoseconds"])?.integer,
      let part = Int32(exactly: nanoseconds), let moment = Timestamp(seconds: seconds, nanoseconds: part)
    {
      return .timestamp(moment)
    }
    if let latitude = (json["_latitude"] ?? json["latitude"])?.double,
      let longitude = (json["_longitude"] ?? json["longitude"])?.double,
      latitude.magnitude <= 90, longitude.magnitude <= 180
    {
      return .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    }
    return nil
  }
}
