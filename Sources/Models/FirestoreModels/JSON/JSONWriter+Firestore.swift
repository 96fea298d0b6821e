// Encodes the JSON of google.firestore.v1 as the service does: integers as strings, members of maps in byte
// order, keys of empty arrays, empty maps and zero coordinates omitted.

extension JSONWriter {
  package mutating func value(_ value: Value) {
    valid { json throws(WireError) in try json.value(of: value) }
  }

  /// Writes something in memory, which is always valid.
  private mutating func valid(_ body: (inout JSONWriter) throws(WireError) -> Void) {
    do throws(WireError) {
      try body(&self)
    } catch {
      assertionFailure("a value in memory is invalid: \(error)")
    }
  }

  /// Writes a value, wherever it is.
  mutating func value(of source: some ReadableValue) throws(WireError) {
    switch try source.view() {
    case .null: literal("{\"nullValue\":null}")
    case .boolean(let flag):
      literal(flag ? "{\"booleanValue\":true}" : "{\"booleanValue\":false}")
    case .integer(let number):
      open("{\"integerValue\":\"")
      append(decimal: number)
      close("\"}")
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
      open("{\"mapValue\":{")
      try fieldsMember(of: fields)
      close("}}")
    }
  }

  /// Writes an `arrayValue`, whose list is left out if it is empty.
  private mutating func arrayValue(of elements: some ReadableElements) throws(WireError) {
    if elements.isEmpty { return literal("{\"arrayValue\":{}}") }
    open("{\"arrayValue\":{\"values\":[")
    var iterator = elements.makeIterator()
    while let element = iterator.next() { try value(of: element) }
    close("]}}")
  }

  /// Writes the `fields` of a document or a map, unless there are none.
  private mutating func fieldsMember(of fields: some ReadableFields) throws(WireError) {
    if fields.isEmpty { return }
    open("\"fields\":{")
    var iterator = fields.makeIterator()
    while let (name, value) = iterator.next() {
      name.withBytes { key($0) }
      try self.value(of: value)
    }
    close("}")
  }

  /// Writes a document as a line of JSON Lines: its fields (if any) and its name below the database, without times.
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
    open("{")
    try fieldsMember(of: fields)
    path.string.withBytes { string($0, within: "\"name\":\"", "\"}\n") }
    beginLine()
  }

  /// Writes a timestamp as an RFC 3339 string.
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
      if times, let createTime = document.createTime {
        json.key("createTime")
        json.timestamp(createTime)
      }
      json.fieldsMember(document.fields)
      json.key("name")
      json.string(database?.name(of: document.path) ?? document.path.string)
      if times, let updateTime = document.updateTime {
        json.key("updateTime")
        json.timestamp(updateTime)
      }
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

  /// Writes a write of a commit.
  package mutating func write(_ write: Write, in database: DatabaseName) {
    object { json in
      let name = database.name(of: write.path)
      switch write.operation {
      case .delete:
        json.key("delete")
        json.string(name)
      case .update(let fields, let mask):
        json.key("update")
        json.object {
          $0.fieldsMember(fields)
          $0.key("name")
          $0.string(name)
        }
        if let mask {
          json.key("updateMask")
          json.documentMask(mask)
        }
      }
      if !write.transforms.isEmpty {
        json.key("updateTransforms")
        json.array { list in
          for transform in write.transforms { list.transform(transform) }
        }
      }
      if let precondition = write.precondition {
        json.key("currentDocument")
        json.precondition(precondition)
      }
    }
  }

  /// Writes a mask; an empty mask differs from none.
  package mutating func documentMask(_ paths: [FieldPath]) {
    object { json in
      json.key("fieldPaths")
      json.array { list in
        for path in paths { list.string(path.description) }
      }
    }
  }

  package mutating func precondition(_ precondition: Precondition) {
    object { json in
      switch precondition {
      case .exists(let exists):
        json.key("exists")
        json.boolean(exists)
      case .updateTime(let time):
        json.key("updateTime")
        json.timestamp(time)
      }
    }
  }

  /// Writes an error body: `{"error": {…}}`.
  package mutating func error(_ error: FirestoreError) {
    object { json in
      json.key("error")
      json.object {
        $0.key("code")
        $0.integer(error.code)
        $0.key("message")
        $0.string(error.message)
        $0.key("status")
        $0.string(error.status.name)
      }
    }
  }

  private mutating func fieldsMember(_ fields: FieldMap) {
    valid { json throws(WireError) in try json.fieldsMember(of: fields) }
  }

  private mutating func arrayValue(_ values: [Value]) {
    object { json in
      if values.isEmpty { return }
      json.key("values")
      json.array { list in
        for value in values { list.value(value) }
      }
    }
  }

  private mutating func geoPoint(_ point: GeoPoint) {
    object { json in
      // protobuf omits only the default +0; -0 is a different value.
      if point.latitude.bitPattern != 0 {
        json.key("latitude")
        json.double(point.latitude)
      }
      if point.longitude.bitPattern != 0 {
        json.key("longitude")
        json.double(point.longitude)
      }
    }
  }

  private mutating func transform(_ transform: FieldTransform) {
    object { json in
      json.key("fieldPath")
      json.string(transform.field.description)
      switch transform.operation {
      case .requestTime:
        json.key("setToServerValue")
        json.string("REQUEST_TIME")
      case .increment(let value):
        json.key("increment")
        json.value(value)
      case .maximum(let value):
        json.key("maximum")
        json.value(value)
      case .minimum(let value):
        json.key("minimum")
        json.value(value)
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
