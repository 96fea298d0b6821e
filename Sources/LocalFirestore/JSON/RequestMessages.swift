// Decodes the messages in request bodies.

extension JSONCursor {
  func text() throws(WireError) -> String {
    guard let text = string else { throw WireError("it is not a string") }
    return text
  }

  /// A transaction ID; nil if it is empty.
  func transactionID() throws(WireError) -> StoreTransactionID? {
    guard let utf8, let bytes = Base64.decode(utf8) else {
      throw WireError("a transaction must be a Base64 string")
    }
    return bytes.isEmpty ? nil : StoreTransactionID(bytes: bytes)
  }

  /// A read time in microseconds since 1970.
  func readTime() throws(WireError) -> Int64 {
    let time = try WireDecoder.timestamp(self, member: "readTime")
    guard time.nanoseconds % 1000 == 0 else { throw WireError("readTime must be in whole microseconds") }
    return time.microseconds
  }
}

extension WireDecoder {
  /// Decodes a message by calling `read` for each member that is not null, with its name in `lowerCamelCase`; adds
  /// the location to errors.
  mutating func message<Message>(
    _ json: JSONCursor,
    _ initial: Message,
    _ read: (inout Message, String, JSONCursor, inout WireDecoder) throws(WireError) -> Void
  ) throws(WireError) -> Message {
    var message = initial
    for (name, value) in try members(of: json, "it") where !value.isNull {
      try WireError.locating(in: name, try read(&message, name, value, &self))
    }
    return message
  }

  /// As ``message(_:_:_:)``, for a message that is only validated, or that is decoded into several variables.
  mutating func message(
    _ json: JSONCursor,
    _ read: (String, JSONCursor, inout WireDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    try message(json, ()) { _, name, value, wire throws(WireError) in try read(name, value, &wire) }
  }

  func texts(_ json: JSONCursor) throws(WireError) -> [String] {
    try elements(of: json).map { element throws(WireError) in try element.text() }
  }

  mutating func documentMask(_ json: JSONCursor) throws(WireError) -> [FieldPath] {
    try message(json, []) { paths, name, value, wire throws(WireError) in
      guard name == "fieldPaths" else { return try wire.refuse(name) }
      for element in try wire.elements(of: value) { paths.append(try wire.fieldPath(element)) }
    }
  }

  func fieldPath(_ json: JSONCursor) throws(WireError) -> FieldPath {
    try FieldPath(wire: try json.text())
  }

  /// Decodes a member of the read consistency, or the common request options.
  mutating func consistency(
    _ name: String,
    _ value: JSONCursor,
    _ consistency: inout ReadConsistency
  ) throws(WireError) {
    let read: ReadConsistency
    switch name {
    case "readTime": read = .time(try value.readTime())
    case "transaction":
      guard let id = try value.transactionID() else { return }
      read = .transaction(id)
    // A transaction begun by a read is read-only unless the options say otherwise (firestore.proto).
    case "newTransaction":
      read = .newTransaction(try transactionOptions(value, unset: .readOnly(readTime: nil)))
    default: return try requestOptions(name, value)
    }
    if consistency != .strong {
      throw WireError("a read has one of readTime, transaction and newTransaction")
    }
    consistency = read
  }

  mutating func transactionOptions(
    _ json: JSONCursor,
    unset: TransactionOptions = .readWrite()
  ) throws(WireError) -> TransactionOptions {
    let options = try message(json, TransactionOptions?.none) {
      options,
      name,
      value,
      wire throws(WireError) in
      if options != nil { throw WireError("a transaction has one mode, not two") }
      switch name {
      case "readOnly":
        let readTime = try wire.message(value, Int64?.none) { readTime, name, value, wire throws(WireError) in
          guard name == "readTime" else { return try wire.refuse(name) }
          readTime = try value.readTime()
        }
        options = .readOnly(readTime: readTime)
      case "readWrite":
        let retried = try wire.message(value, StoreTransactionID?.none) {
          retried,
          name,
          value,
          wire throws(WireError) in
          switch name {
          case "retryTransaction": retried = try value.transactionID()
          case "concurrencyMode": break
          default: try wire.refuse(name)
          }
        }
        options = .readWrite(retried: retried)
      default: try wire.refuse(name)
      }
    }
    return options ?? unset
  }

  /// Validates the options of a request, which have no effect here, and refuses any other member.
  mutating func requestOptions(_ name: String, _ json: JSONCursor) throws(WireError) {
    guard name == "requestOptions" else { return try refuse(name) }
    try message(json) { name, value, wire throws(WireError) in
      guard name == "requestTags" else { return try wire.refuse(name) }
      _ = try wire.texts(value)
    }
  }

  // MARK: Writes

  /// Decodes a document whose name is not validated yet.
  mutating func documentBody(_ json: JSONCursor) throws(WireError) -> DocumentBody {
    try message(json, DocumentBody()) { document, name, value, wire throws(WireError) in
      switch name {
      case "name": document.name = try value.text()
      case "fields": document.fields = try wire.fields(value)
      // Output only: validated and ignored.
      case "createTime", "updateTime": _ = try Self.timestamp(value, member: name)
      default: try wire.refuse(name)
      }
    }
  }

  mutating func writes(_ json: JSONCursor, in database: DatabaseName) throws(WireError) -> [Write] {
    var writes: [Write] = []
    for (index, element) in try elements(of: json).enumerated() {
      writes.append(try WireError.locating(in: "[\(index)]", try write(element, in: database)))
    }
    return writes
  }

  private mutating func write(_ json: JSONCursor, in database: DatabaseName) throws(WireError) -> Write {
    var path: DocumentPath?
    var operation: Write.Operation?
    var mask: [FieldPath]?
    var transforms: [FieldTransform] = []
    var precondition: Precondition?
    var isLegacy = false
    try message(json) { name, value, wire throws(WireError) in
      switch name {
      case "update", "delete", "transform":
        if operation != nil { throw WireError("a write has one operation, not two") }
        if name == "update" {
          let document = try wire.documentBody(value)
          path = try Self.path(document.name, in: database)
          operation = .update(fields: document.fields, mask: nil)
        } else if name == "delete" {
          path = try Self.path(try value.text(), in: database)
          operation = .delete
        } else {
          let (name, fieldTransforms) = try wire.documentTransform(value)
          if fieldTransforms.isEmpty { throw WireError("a transform has at least one of fieldTransforms") }
          path = try Self.path(name, in: database)
          operation = .update(fields: FieldMap(), mask: [])
          transforms = fieldTransforms
          isLegacy = true
        }
      case "updateMask": mask = try wire.documentMask(value)
      case "updateTransforms": transforms += try wire.transforms(value)
      case "currentDocument": precondition = try wire.precondition(value)
      default: try wire.refuse(name)
      }
    }
    guard let path, var operation else { throw WireError("a write has none of the known operations") }
    if case .update(let fields, nil) = operation, let mask { operation = .update(fields: fields, mask: mask) }
    if operation == .delete || isLegacy, mask != nil {
      throw WireError("updateMask is valid with update only")
    }
    if operation == .delete, !transforms.isEmpty {
      throw WireError("updateTransforms is valid with update only")
    }
    return Write(path: path, operation: operation, transforms: transforms, precondition: precondition)
  }

  private static func path(_ name: String, in database: DatabaseName) throws(WireError) -> DocumentPath {
    guard let path = database.path(ofName: name) else {
      throw WireError("'\(name)' is not the name of a document in \(database.description)", at: ["name"])
    }
    return path
  }

  private mutating func documentTransform(
    _ json: JSONCursor
  ) throws(WireError) -> (name: String, transforms: [FieldTransform]) {
    try message(json, ("", [])) { result, name, value, wire throws(WireError) in
      switch name {
      case "document": result.name = try value.text()
      case "fieldTransforms": result.transforms = try wire.transforms(value)
      default: try wire.refuse(name)
      }
    }
  }

  private mutating func transforms(_ json: JSONCursor) throws(WireError) -> [FieldTransform] {
    var transforms: [FieldTransform] = []
    for element in try elements(of: json) { transforms.append(try transform(element)) }
    return transforms
  }

  private mutating func transform(_ json: JSONCursor) throws(WireError) -> FieldTransform {
    var field: FieldPath?
    var operation: FieldTransform.Operation?
    try message(json) { name, value, wire throws(WireError) in
      if name == "fieldPath" {
        field = try wire.fieldPath(value)
        return
      }
      if operation != nil { throw WireError("a transform has one type, not two") }
      switch name {
      case "setToServerValue":
        guard value.string == "REQUEST_TIME" || value.integer == 1 else {
          throw WireError("setToServerValue must be REQUEST_TIME")
        }
        operation = .requestTime
      case "increment": operation = .increment(try wire.value(value))
      case "maximum": operation = .maximum(try wire.value(value))
      case "minimum": operation = .minimum(try wire.value(value))
      case "appendMissingElements": operation = .appendMissingElements(try wire.arrayValue(value))
      case "removeAllFromArray": operation = .removeAllFromArray(try wire.arrayValue(value))
      default: try wire.refuse(name)
      }
    }
    guard let field, let operation else { throw WireError("a transform has a fieldPath and a type") }
    return FieldTransform(field, operation)
  }

  private mutating func arrayValue(_ json: JSONCursor) throws(WireError) -> [Value] {
    try message(json, []) { values, name, value, wire throws(WireError) in
      guard name == "values" else { return try wire.refuse(name) }
      for element in try wire.elements(of: value) { values.append(try wire.value(element)) }
    }
  }

  private mutating func precondition(_ json: JSONCursor) throws(WireError) -> Precondition? {
    try message(json, nil) { precondition, name, value, wire throws(WireError) in
      if precondition != nil { throw WireError("a precondition has one type, not two") }
      switch name {
      case "exists":
        guard let exists = value.boolean else { throw WireError("it is not true or false") }
        precondition = .exists(exists)
      case "updateTime": precondition = .updateTime(try Self.timestamp(value, member: "updateTime"))
      default: try wire.refuse(name)
      }
    }
  }
}
