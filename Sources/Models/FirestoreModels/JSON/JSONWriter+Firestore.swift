// Encodes the JSON of google.firestore.v1 as the service does: integers as strings, members of maps in byte
// order, keys of empty arrays, empty maps and zero coordinates omitted.

extension JSONWriter {
  package mutating func value(_ value: Value) {
    valid { json throws(WireError) in try json.value(of: value) }
  }

  /// Returns the JSON written by `body`.
  package static func bytes(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    body(&json)
    return json.bytes
  }

  /// Returns the JSON of an object.
  package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    bytes { $0.object(members) }
  }

  /// Returns the JSON written by `body` as a string.
  package static func text(_ body: (inout JSONWriter) -> Void) -> String {
    String(decoding: bytes(body), as: UTF8.self)
  }

  /// Writes a member without escaping its name.
  mutating func member(_ name: StaticString, _ value: Value) {
    key(name)
    self.value(value)
  }

  /// Writes an array, with `write` writing each element.
  mutating func array<Element>(of elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
    array { json in
      for element in elements { write(&json, element) }
    }
  }

  /// Writes a value in memory, which never throws because it is always valid.
  private mutating func valid(_ body: (inout JSONWriter) throws(WireError) -> Void) {
    do throws(WireError) {
      try body(&self)
    } catch {
      assertionFailure("a value in memory is invalid: \(error)")
    }
  }

  /// Writes a value from any source.
  mutating func value(of source: some ReadableValue) throws(WireError) {
    switch try source.view() {
    case .null: literal("{\"nullValue\":null}")
    case .boolean(let flag):
      literal(flag ? "{\"booleanValue\":true}" : "{\"booleanValue\":false}")
    case .integer(let number): decimal(number, within: "{\"integerValue\":\"", "\"}")
    case .double(let number):
      open("{\"doubleValue\":")
      double(number)
      close("}")
    case .timestamp(let time):
      open("{\"timestampValue\":\"")
      time.append(to: &bytes)
      close("\"}")
    case .string(let text): text.withBytes { string($0, within: "{\"stringValue\":\"", "\"}") }
    case .bytes(let bytes):
      let bytes = try bytes.bytes()
      open("{\"bytesValue\":")
      quoted { Base64.append(bytes, to: &$0) }
      close("}")
    case .reference(let name): name.withBytes { string($0, within: "{\"referenceValue\":\"", "\"}") }
    case .geoPoint(let point):
      open("{\"geoPointValue\":")
      geoPoint(point)
      close("}")
    case .array(let elements): try arrayValue(of: elements)
    case .map(let fields):
      if fields.isEmpty { return literal("{\"mapValue\":{}}") }
      try members(of: fields, within: "{\"mapValue\":{\"fields\":{", "}}}")
    }
  }

  /// Writes an `arrayValue`, omitting an empty list.
  private mutating func arrayValue(of elements: some ReadableElements) throws(WireError) {
    if elements.isEmpty { return literal("{\"arrayValue\":{}}") }
    open("{\"arrayValue\":{\"values\":[")
    var iterator = elements.makeIterator()
    while let element = iterator.next() { try value(of: element) }
    close("]}}")
  }

  /// Writes the members of a document or a map, enclosed in the given JSON.
  private mutating func members(
    of fields: some ReadableFields,
    within opening: StaticString,
    _ closing: StaticString
  ) throws(WireError) {
    open(opening)
    var iterator = fields.makeIterator()
    while let (name, value) = iterator.next() {
      name.withBytes { key($0) }
      try self.value(of: value)
    }
    close(closing)
  }

  /// Writes a document as a line of JSON Lines: its fields (if any) and its name relative to the database, without times.
  package mutating func line(_ document: RawDocument) {
    valid { json throws(WireError) in try json.line(document.fields, document.path) }
  }

  /// Writes a document of a response as a line of JSON Lines.
  ///
  /// - Throws: ``WireError`` if the document has to be decoded instead; nothing is written then.
  package mutating func line(_ document: WireDocument) throws(WireError) {
    let start = bytes.count
    do throws(WireError) {
      try line(document.fields(), document.path)
    } catch {
      bytes.removeSubrange(start...)
      beginLine()
      throw error
    }
  }

  @inline(__always)
  private mutating func line(_ fields: some ReadableFields, _ path: DocumentPath) throws(WireError) {
    beginLine()
    if fields.isEmpty { open("{") } else { try members(of: fields, within: "{\"fields\":{", "}") }
    path.string.withBytes { string($0, within: "\"name\":\"", "\"}\n") }
    beginLine()
  }

  package mutating func timestamp(_ time: Timestamp) {
    quoted { time.append(to: &$0) }
  }

  /// Writes a document with its fields (if any), name and times (if known).
  ///
  /// The name is relative if `database` is nil.
  package mutating func document(
    _ document: RawDocument,
    in database: DatabaseName? = nil,
    times: Bool = true
  ) {
    object { json in
      if times { json.member("createTime", document.createTime) }
      json.fieldsMember(document.fields)
      json.member("name", database?.name(of: document.path) ?? document.path.string)
      if times { json.member("updateTime", document.updateTime) }
    }
  }

  /// Writes the members of a map: `{"a": value, …}`.
  package mutating func fields(_ fields: FieldMap) {
    object { json in
      for entry in fields.entries {
        json.key(entry.name)
        json.value(entry.value)
      }
    }
  }

  package mutating func write(_ write: Write, in database: DatabaseName) {
    if case .set(let document) = write.operation { return self.write(write, setting: document) }
    object { json in
      let name = database.name(of: write.path)
      switch write.operation {
      case .delete: json.member("delete", name)
      case .set: break
      case .update(let fields, let mask):
        json.member("update") {
          $0.fieldsMember(fields)
          $0.member("name", name)
        }
        if let mask {
          json.key("updateMask")
          json.documentMask(mask)
        }
      }
      json.transformsAndPrecondition(of: write)
    }
  }

  /// Writes a write that sets an encoded document; the commit must be to the database in the document's name.
  private mutating func write(_ write: Write, setting document: EncodedDocument) {
    if write.transforms.isEmpty, write.precondition == .exists(false) { return raw(document.creation) }
    raw(document.creation[..<document.updateEnd])
    transformsAndPrecondition(of: write)
    close("}")
  }

  private mutating func transformsAndPrecondition(of write: Write) {
    if !write.transforms.isEmpty {
      key("updateTransforms" as StaticString)
      array(of: write.transforms) { $0.transform($1) }
    }
    if let precondition = write.precondition {
      key("currentDocument" as StaticString)
      self.precondition(precondition)
    }
  }

  /// Writes a mask; an empty mask is not the same as none.
  package mutating func documentMask(_ paths: [FieldPath]) {
    object { $0.member("fieldPaths", strings: paths.lazy.map(\.description)) }
  }

  package mutating func precondition(_ precondition: Precondition) {
    object { json in
      switch precondition {
      case .exists(let exists): json.member("exists", exists)
      case .updateTime(let time): json.member("updateTime", time)
      }
    }
  }

  /// Writes an error body: `{"error": {…}}`.
  package mutating func error(_ error: FirestoreError) {
    object { json in
      json.member("error") {
        $0.member("code", error.code)
        $0.member("message", error.message)
        $0.member("status", error.status.name)
      }
    }
  }

  private mutating func fieldsMember(_ fields: FieldMap) {
    if fields.isEmpty { return }
    valid { json throws(WireError) in try json.members(of: fields, within: "\"fields\":{", "}") }
  }

  private mutating func arrayValue(_ values: [Value]) {
    object { json in
      if values.isEmpty { return }
      json.key("values")
      json.array(of: values) { $0.value($1) }
    }
  }

  package mutating func geoPoint(_ point: GeoPoint) {
    object { json in
      // protobuf omits only the default +0; -0 is a different value.
      if point.latitude.bitPattern != 0 { json.member("latitude", point.latitude) }
      if point.longitude.bitPattern != 0 { json.member("longitude", point.longitude) }
    }
  }

  private mutating func transform(_ transform: FieldTransform) {
    object { json in
      json.member("fieldPath", transform.field.description)
      switch transform.operation {
      case .requestTime: json.member("setToServerValue", "REQUEST_TIME")
      case .increment(let value): json.member("increment", value)
      case .maximum(let value): json.member("maximum", value)
      case .minimum(let value): json.member("minimum", value)
      case .appendMissingElements(let values):
        json.key("appendMissingElements")
        json.arrayValue(values)
      case .removeAllFromArray(let values):
        json.key("removeAllFromArray")
        json.arrayValue(values)
      }
    }
  }
}
