/// One write of a commit, read strictly.
struct MiniWrite {
  enum Precondition {
    case none
    case exists(Bool)
    case updateTime(MiniTime)
  }

  var path: MiniPath
  /// nil deletes.
  var fields: MiniFields?
  /// nil replaces the whole document; an empty mask changes nothing.
  var mask: [MiniFieldPath]?
  var transforms: [MiniTransform] = []
  var precondition = Precondition.none

  /// What became of a write.
  struct Outcome {
    var document: MiniStored?
    var transformResults: [MiniValue] = []
  }

  init(path: MiniPath, fields: MiniFields?, mask: [MiniFieldPath]?, precondition: Precondition) {
    self.path = path
    self.fields = fields
    self.mask = mask
    self.precondition = precondition
  }

  /// Reads a Write message.
  init(_ json: JSON, in mini: MiniFirestore) throws {
    let members = try MiniDecoder.members(
      json,
      "writes",
      allowed: ["update", "delete", "updateMask", "updateTransforms", "currentDocument"]
    )
    precondition = try Self.precondition(members["currentDocument"])
    switch (members["update"], members["delete"]) {
    case (let document?, nil):
      let parts = try MiniDecoder.members(
        document,
        "update",
        allowed: ["name", "fields", "createTime", "updateTime"]
      )
      path = try mini.path(MiniDecoder.text(parts["name"], "name"), "name")
      fields = try MiniDecoder.fields(parts["fields"])
      mask = try members["updateMask"].map { try Self.mask($0) } ?? nil
      transforms = try MiniDecoder.list(members["updateTransforms"], "updateTransforms")
        .map { try MiniTransform($0) }
    case (nil, let name?):
      guard members["updateMask"] == nil, members["updateTransforms"] == nil else {
        throw ServiceError.invalidArgument("updateMask and updateTransforms go with update only")
      }
      path = try mini.path(MiniDecoder.text(name, "delete"), "delete")
    default: throw ServiceError.invalidArgument("a write must have exactly one operation")
    }
  }

  private static func mask(_ json: JSON) throws -> [MiniFieldPath] {
    let paths = try MiniDecoder.list(
      MiniDecoder.members(json, "updateMask", allowed: ["fieldPaths"])["fieldPaths"],
      "fieldPaths"
    )
    return try paths.map { path in
      guard case .string(let text) = path else { throw ServiceError.invalidArgument("fieldPaths") }
      return try MiniFieldPath(text)
    }
  }

  static func precondition(_ json: JSON?) throws -> Precondition {
    guard let json, json != .null else { return .none }
    let members = try MiniDecoder.members(json, "currentDocument", allowed: ["exists", "updateTime"])
    guard members.count == 1 else {
      throw ServiceError.invalidArgument("currentDocument must have exactly one member")
    }
    if let flag = try MiniDecoder.flag(members["exists"], "exists") { return .exists(flag) }
    return .updateTime(try time(MiniDecoder.text(members["updateTime"], "updateTime")))
  }

  static func time(_ text: ByteString?) throws -> MiniTime {
    guard let text, let time = MiniTime(text) else { throw ServiceError.invalidArgument("updateTime") }
    let digits = text.bytes.drop { $0 != UInt8(ascii: ".") }.dropFirst().prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard digits.dropFirst(6).allSatisfy({ $0 == 0x30 }) else {
      throw ServiceError.invalidArgument("updateTime must be in whole microseconds")
    }
    return time
  }

  // MARK: Applying

  /// What the document is after the write; `current` as it is before.
  func apply(to current: MiniStored?, at time: MiniTime, missingBaseIsNotFound: Bool) throws -> Outcome {
    try check(current, missingBaseIsNotFound)
    guard let fields else { return Outcome() }
    var next = mask == nil ? fields : current?.fields ?? [:]
    for path in mask ?? [] { path.set(path.get(from: fields), in: &next) }
    var outcome = Outcome()
    for transform in transforms { outcome.transformResults.append(transform.apply(to: &next, at: time)) }
    try MiniSize.check(path, next)
    // A write that changes nothing leaves the update time as it was.
    let updateTime = current?.fields == next ? current?.updateTime ?? time : time
    outcome.document = MiniStored(
      fields: next,
      createTime: current?.createTime ?? time,
      updateTime: updateTime
    )
    return outcome
  }

  private func check(_ current: MiniStored?, _ missingBaseIsNotFound: Bool) throws {
    switch precondition {
    case .none: break
    case .exists(false):
      if current != nil { throw ServiceError.alreadyExists("Document already exists: \(path.name)") }
    case .exists(true):
      if current == nil { throw ServiceError.notFound("No document to update: \(path.name)") }
    case .updateTime(let time):
      guard let current else {
        let message = "No document to update: \(path.name)"
        throw missingBaseIsNotFound
          ? ServiceError.notFound(message) : ServiceError.failedPrecondition(message)
      }
      guard current.updateTime == time else {
        throw ServiceError.failedPrecondition(
          "the stored version (\(current.updateTime.microseconds)) does not match the required base version "
            + "(\(time.microseconds))"
        )
      }
    }
  }
}

/// A transform of one field.
struct MiniTransform {
  enum Operation {
    case requestTime
    case increment(MiniValue)
    case maximum(MiniValue)
    case minimum(MiniValue)
    case append([MiniValue])
    case removeAll([MiniValue])
  }

  var path: MiniFieldPath
  var operation: Operation

  init(_ json: JSON) throws {
    var members = try MiniDecoder.members(
      json,
      "updateTransforms",
      allowed: [
        "fieldPath", "setToServerValue", "increment", "maximum", "minimum", "appendMissingElements",
        "removeAllFromArray",
      ]
    )
    guard let path = try MiniDecoder.text(members.removeValue(forKey: "fieldPath"), "fieldPath"),
      members.count == 1, let (kind, operand) = members.first
    else { throw ServiceError.invalidArgument("a transform needs fieldPath and exactly one operation") }
    self.path = try MiniFieldPath(path)
    switch kind {
    case "setToServerValue":
      guard operand == .string("REQUEST_TIME") else { throw ServiceError.invalidArgument("setToServerValue") }
      operation = .requestTime
    case "appendMissingElements": operation = .append(try MiniDecoder.array(operand, depth: 1))
    case "removeAllFromArray": operation = .removeAll(try MiniDecoder.array(operand, depth: 1))
    default:
      let value = try MiniDecoder.value(operand, depth: 1)
      guard value.isSameType(as: .integer(0)) else {
        throw ServiceError.invalidArgument("\(kind): no number")
      }
      operation =
        kind == "increment" ? .increment(value) : kind == "maximum" ? .maximum(value) : .minimum(value)
    }
  }

  /// Changes the field; returns the transform result for the response.
  func apply(to fields: inout MiniFields, at time: MiniTime) -> MiniValue {
    let current = path.get(from: fields)
    let isNumber = current?.isSameType(as: .integer(0)) ?? false
    var elements: [MiniValue] = []
    if case .array(let values)? = current { elements = values }
    let next: MiniValue
    switch operation {
    case .requestTime: next = .timestamp(MiniTime(microseconds: time.microseconds / 1000 * 1000))
    case .increment(let operand):
      next = isNumber ? current.map { Self.sum($0, operand) } ?? operand : operand
    case .maximum(let operand): next = Self.pick(isNumber ? current : nil, operand) { $0 < 0 }
    case .minimum(let operand): next = Self.pick(isNumber ? current : nil, operand) { $0 > 0 }
    case .append(let values):
      for value in values where !elements.contains(where: { $0.compare(value) == 0 }) {
        elements.append(value)
      }
      path.set(.array(elements), in: &fields)
      return .null
    case .removeAll(let values):
      elements.removeAll { element in values.contains { $0.compare(element) == 0 } }
      path.set(.array(elements), in: &fields)
      return .null
    }
    path.set(next, in: &fields)
    return next
  }

  private static func pick(
    _ current: MiniValue?,
    _ operand: MiniValue,
    _ takesOperand: (Int) -> Bool
  ) -> MiniValue {
    guard let current else { return operand }
    let nan = MiniValue.number(.nan)
    if current == nan || operand == nan { return nan }
    return takesOperand(current.compare(operand)) ? operand : current
  }

  private static func sum(_ left: MiniValue, _ right: MiniValue) -> MiniValue {
    func double(_ value: MiniValue) -> Double {
      switch value {
      case .integer(let number): Double(number)
      case .double(let bits): Double(bitPattern: bits)
      default: 0
      }
    }
    guard case .integer(let first) = left, case .integer(let second) = right else {
      return .number(double(left) + double(right))
    }
    let (sum, overflow) = first.addingReportingOverflow(second)
    return .integer(overflow ? (first < 0 ? .min : .max) : sum)
  }
}
