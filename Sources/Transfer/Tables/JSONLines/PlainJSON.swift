package import FirestoreModels
import Schema

/// Makes fields of untyped JSON: by the types of the schema where it has some, otherwise by JSON's own.
///
/// A value that does not match its type of the schema stays unchanged, for the check against the schema. If an option gave
/// the type, such a value is refused, as a cell would be.
package struct PlainJSON {
  private var types: [FieldPath: Column.ValueType] = [:]
  /// The fields that can only be vectors.
  private var vectors: Set<FieldPath> = []
  /// The types that options give, and their indices among the options.
  private let given: [FieldPath: (index: Int, type: ColumnType)]
  private let options: TableOptions
  private let met: MetHeadings

  /// The member of a document that contains its subcollections.
  private let below: String

  /// Whether `{"_seconds": 1, "_nanoseconds": 0}` is a time whatever the schema says, rather than the map that it is in our
  /// own exports.
  package var readsMarks = true
  /// Whether the documents are in the folders of firestore-backup-restore.
  package var isInTree = false

  /// - Parameter below: The member of a document that contains its subcollections, and is not a field.
  package init(
    _ collection: CollectionPath,
    _ options: TableOptions,
    below: String = JSONForm.documents.below,
    noting met: MetHeadings = MetHeadings()
  ) {
    self.options = options
    self.below = below
    self.met = met
    var given: [FieldPath: (index: Int, type: ColumnType)] = [:]
    for (index, type) in options.types.enumerated() {
      let renamed = options.renames.last { $0.heading.isIdentical(to: type.heading) }?.value
      given[renamed ?? FieldPath(field: type.heading)] = (index, type.value)
      if let path = try? FieldPath(parsing: type.heading), path.segments.count > 1 {
        given[path] = (index, type.value)
      }
    }
    self.given = given
    if let declared = options.schema.collection(collection) {
      add(declared.fields, declared.columns, below: [])
    }
    for (path, (_, type)) in given { types[path] = type.type }
  }

  /// Adds what the schema says about fields and the elements of arrays.
  private mutating func add(_ fields: [FieldSchema], _ columns: [Column], below path: [String]) {
    for column in columns {
      guard let full = FieldPath(segments: path + column.path.segments) else { continue }
      types[full] = column.type
    }
    for field in fields {
      let segments = path + field.path.segments
      if field.types == [.vector], let full = FieldPath(segments: segments) { vectors.insert(full) }
      if !field.elements.isEmpty { add(field.elements, field.elementColumns, below: segments) }
    }
  }

  /// A field that cannot be read, and why, with its name.
  package typealias UnreadField = (field: FieldPath, error: WireError)

  /// Returns the fields of an object but for those that cannot be read, which are added to `unread`.
  ///
  /// - Throws: ``WireError`` for a value that documents cannot hold.
  package func fields(
    _ json: JSONCursor,
    unread: inout [UnreadField]
  ) throws(WireError) -> FieldMap {
    Self.isTyped(json, anyType: isInTree)
      ? try typedFields(json, below: [], &unread) : try fields(json, below: [], &unread)
  }

  /// Adds a field that cannot be read.
  ///
  /// - Throws: The error if the field is in an element of an array, which cannot be read as a whole then.
  func note(
    _ error: WireError,
    _ field: FieldPath?,
    below path: [String],
    _ unread: inout [UnreadField]
  ) throws(WireError) {
    guard let field, !path.contains(where: { $0.isIdentical(to: "[]") }) else { throw error }
    unread.append((field, WireError(error.reason, at: path + error.location)))
  }

  private func fields(
    _ json: JSONCursor,
    below path: [String],
    _ unread: inout [UnreadField]
  ) throws(WireError) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    var renamed: [(path: FieldPath, value: Value)] = []
    for (name, value) in json.members {
      let name = name.string
      // The subcollections of a document are one of its members.
      if path.isEmpty, name.isIdentical(to: below) { continue }
      let index = path.isEmpty ? options.renames.lastIndex { $0.heading.isIdentical(to: name) } : nil
      let other = index.map { options.renames[$0].value }
      if let index { met.renames.insert(index) }
      do throws(WireError) {
        let known = unread.count
        let value = try self.value(value, at: other?.segments ?? path + [name], &unread)
        // A map that has nothing else is left out with its fields.
        if unread.count > known, value.map?.isEmpty ?? false { continue }
        if let other {
          renamed.append((other, value))
        } else {
          entries.append(FieldMap.Entry(name: name, value: value))
        }
      } catch {
        try note(error.inside(name), other ?? FieldPath(segments: path + [name]), below: path, &unread)
      }
    }
    var fields = FieldMap(entries)
    for (path, value) in renamed {
      let isFree = path.segments.indices.dropLast().allSatisfy { index in
        let above = FieldPath(segments: Array(path.segments[...index])).flatMap { fields[$0] }
        if case .map? = above { return true }
        return above == nil
      }
      guard isFree, fields[path] == nil else {
        throw WireError("there is another member for the field \(path), which --rename names")
      }
      fields[path] = value
    }
    return fields
  }

  /// Returns the value of a field, or of something within it; the elements of an array have the segment `[]`.
  ///
  /// - Throws: ``WireError`` for a value that documents cannot hold.
  package func value(_ json: JSONCursor, at path: [String]) throws(WireError) -> Value {
    var unread: [UnreadField] = []
    let value = try value(json, at: path, &unread)
    guard let error = unread.first?.error else { return value }
    throw WireError(error.reason, at: Array(error.location.dropFirst(path.count)))
  }

  private func value(
    _ json: JSONCursor,
    at path: [String],
    _ unread: inout [UnreadField]
  ) throws(WireError) -> Value {
    guard let field = FieldPath(segments: path) else {
      return try value(json, at: path, as: .any, nil, &unread)
    }
    guard let (index, given) = given[field] else {
      return try value(json, at: path, as: types[field] ?? .any, nil, &unread)
    }
    met.types.insert(index)
    let value = try value(json, at: path, as: given.type, given.dateOrder, &unread)
    // A date may be declared as such; null is valid for every type.
    if let type = FieldType(rawValue: given.type.rawValue), value != .null, !type.accepts(value) {
      throw WireError("expected \(CellValues.name(of: given.type))")
    }
    return value
  }

  private func value(
    _ json: JSONCursor,
    at path: [String],
    as type: Column.ValueType,
    _ order: DateOrder?,
    _ unread: inout [UnreadField]
  ) throws(WireError) -> Value {
    switch json.kind {
    case .null: return .null
    case .boolean: return .boolean(json.boolean ?? false)
    case .integer:
      if type == .double, let number = json.double {
        if json.integer.map({ Double(keepingDigits: String($0).utf8) == nil }) ?? false {
          throw WireError("no double has all its digits; the types integer and text keep them")
        }
        return .double(number)
      }
      guard let number = json.integer else {
        throw WireError("it does not fit 64 bits; \(Self.doubles(path)) takes it, to 17 digits")
      }
      return type == .string ? .string(String(number)) : .integer(number)
    case .double:
      let number = json.double ?? 0
      if type == .integer, number.magnitude < .firstAmbiguousInteger, let whole = Int64(exactly: number) {
        return .integer(whole)
      }
      // Written by another program, it may be an integer whose last digits a double cannot hold.
      guard type == .double || !readsMarks || number.magnitude < 0x1p63 else {
        throw WireError("it is beyond 64 bits, and may lose digits; \(Self.doubles(path)) takes it as it is")
      }
      return .double(number)
    case .string:
      let text = json.string ?? ""
      let value = value(text, as: type, order)
      if case .timestamp = value { met.note(date: text, of: path, order ?? options.dateOrder) }
      return value
    case .array:
      var values: [Value] = []
      let isVector = FieldPath(segments: path).map(vectors.contains) ?? false
      for element in json.elements {
        if isVector, let number = Self.double(element) {
          values.append(.double(number))
          continue
        }
        let value = try value(element, at: path + ["[]"], &unread)
        if case .array = value { throw WireError("it is an array within an array") }
        values.append(value)
      }
      let isWhole =
        isVector && !values.isEmpty && values.allSatisfy { if case .double = $0 { true } else { false } }
      return isWhole ? .map(["__type__": .string("__vector__"), "value": .array(values)]) : .array(values)
    case .object:
      if readsMarks, let (kind, content) = Self.datatype(json) { return try named(kind, content) }
      let isMarked = readsMarks || type == .timestamp || type == .geopoint
      if isMarked, let value = try Self.marked(json, as: type) { return value }
      if readsMarks, let (form, value) = try Self.extended(json, as: type) {
        met.note(form, isValue: value != nil)
        if let value { return value }
      }
      if !readsMarks, let form = Self.foreignForm(json) { met.note(unread: form) }
      if readsMarks || type == .reference, json["_firestore"] != nil, let reference = reference(json) {
        return reference
      }
      return .map(try fields(json, below: path, &unread))
    }
  }

  /// Names the type that accepts a number, with the option that gives it to a field; for elements of arrays there is none.
  private static func doubles(_ path: [String]) -> String {
    let field = path.contains("[]") ? nil : FieldPath(segments: path)
    return "the type double\(field.map { " (--types '\($0)=double')" } ?? "")"
  }

  /// Returns a number, including those that JSON can only write as text.
  private static func double(_ json: JSONCursor) -> Double? {
    json.double ?? json.string.flatMap(double)
  }

  static func double(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }

  /// Returns a text as a value of the schema's type; as text if it is not such a value.
  private func value(_ text: String, as type: Column.ValueType, _ order: DateOrder?) -> Value {
    text.withBytes { utf8 in
      switch type {
      case .timestamp:
        if let moment = Timestamp(rfc3339: utf8) { return .timestamp(moment) }
        let date = DateText(utf8, order ?? options.dateOrder ?? .dayFirst)
        if let moment = date.flatMap({ options.timeZone.moment(of: $0) }) { return .timestamp(moment) }
      case .reference:
        if let (path, named) = AddressText.reference(utf8), let database = named ?? options.database {
          return .reference(database.name(of: path))
        }
      case .geopoint: if let point = AddressText.geoPoint(utf8) { return .geoPoint(point) }
      case .double: if let number = Self.double(text) { return .double(number) }
      case .bytes: if let bytes = Base64.decode(utf8) { return .bytes(bytes) }
      default: break
      }
      return .string(text)
    }
  }

  /// Returns the type and value in an object of node-firestore-import-export; nil for any other object.
  static func datatype(_ json: JSONCursor) -> (kind: String, content: JSONCursor)? {
    guard let kind = json["__datatype__"]?.string, let content = json["value"], json.hasMembers(2) else {
      return nil
    }
    return (kind, content)
  }

  /// Returns a value whose type is given beside it.
  func named(_ kind: String, _ json: JSONCursor) throws(WireError) -> Value {
    switch kind {
    case "timestamp":
      if let value = try Self.marked(json, as: .timestamp) { return value }
      if let moment = json.string.flatMap({ Timestamp($0) }) { return .timestamp(moment) }
    case "geopoint": if let value = try Self.marked(json, as: .geopoint) { return value }
    case "documentReference":
      if let text = json.string, case .reference(let name) = value(text, as: .reference, nil) {
        return .reference(name)
      }
      if let reference = reference(json) { return reference }
    default: break
    }
    throw WireError("it is no \(PathLimits.shortened(kind)), which its type says")
  }

  /// Parses a reference in the form of Google's library for Node; nil for anything else.
  ///
  /// If it names a project only, it is into the database of that project that the import is from or into.
  private func reference(_ json: JSONCursor) -> Value? {
    guard let (path, project, id) = json.reference else { return nil }
    guard let project else { return id == nil ? options.database.map { .reference($0.name(of: path)) } : nil }
    let known = [options.source, options.database].compactMap { $0 }.first {
      id == nil && $0.project.isIdentical(to: project)
    }
    let database = known ?? DatabaseName(project: project, database: id ?? "(default)")
    guard [database.project, database.database].allSatisfy(DatabaseName.isPart) else { return nil }
    return .reference(database.name(of: path))
  }

  /// Parses times and geo points as Google's libraries write them; nil for any other object.
  ///
  /// Members without `_` could equally be a map of the data, so the type must be known.
  static func marked(_ json: JSONCursor, as type: Column.ValueType) throws(WireError) -> Value? {
    func member(_ marked: StaticString, _ plain: StaticString, of owner: Column.ValueType) -> JSONCursor? {
      json[marked] ?? (type == owner ? json[plain] : nil)
    }
    guard json.hasMembers(2) else { return nil }
    let names = [["_seconds", "_nanoseconds"], ["_latitude", "_longitude"]] as [[StaticString]]
    let isMeant = names.contains { $0.allSatisfy { json[$0] != nil } }
    if let seconds = member("_seconds", "seconds", of: .timestamp)?.integer,
      let nanoseconds = member("_nanoseconds", "nanoseconds", of: .timestamp)?.integer,
      let part = Int32(exactly: nanoseconds), let moment = Timestamp(seconds: seconds, nanoseconds: part)
    {
      return .timestamp(moment)
    }
    if let latitude = member("_latitude", "latitude", of: .geopoint)?.double,
      let longitude = member("_longitude", "longitude", of: .geopoint)?.double,
      latitude.magnitude <= 90, longitude.magnitude <= 180
    {
      return .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
    }
    if isMeant { throw WireError("it is no time and no point, as its members say") }
    return nil
  }
}
