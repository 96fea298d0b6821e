import Schema

/// Why a step failed for a document; if thrown, the document is left unchanged.
struct StepFailure: Error, Equatable {
  var kind = Finding.Kind.reject
  var code: DeclarativeMigration.Code
  /// The field; nil if the failure is about the document.
  var field: FieldPath?
  var found: Value?
  /// The rest of the sentence after "FIELD", without a full stop.
  var message: String
  /// What happens to the document.
  var consequence = "the document is left as it is"

  func finding(of path: DocumentPath) -> Finding {
    Finding(
      kind,
      path: path,
      code: code.rawValue,
      field: field?.description,
      found: found,
      message: "\(field.map { "\($0) " } ?? "")\(message); \(consequence)."
    )
  }
}

extension MigrationStep {
  /// Applies the step to fields; nil fields mean that the document is deleted.
  ///
  /// - Parameters:
  ///   - collection: The schema of the document's collection; nil if undeclared.
  ///   - left: Receives failures that do not keep the document from being changed.
  /// - Throws: ``StepFailure``; the fields are then unspecified.
  func apply(
    to fields: inout FieldMap?,
    of collection: CollectionSchema?,
    noting left: inout [StepFailure]
  ) throws(StepFailure) {
    guard var draft = fields else { return }
    if self == .hardDelete {
      fields = nil
      return
    }
    if let failure = try apply(to: &draft, of: collection) { left.append(failure) }
    fields = draft
  }

  /// - Returns: Failures that do not keep the document from being changed.
  private func apply(
    to fields: inout FieldMap,
    of collection: CollectionSchema?
  ) throws(StepFailure) -> StepFailure? {
    switch self {
    case .set(let field, let value):
      try fields.write(value.typed(at: field, of: collection, like: fields[field]), to: field)
    case .setIfMissing(let field, let value):
      if fields.isMissing(field) { try fields.write(value.typed(at: field, of: collection), to: field) }
    case .copy(let source, let target, let overwrite):
      guard let value = fields.value(source), !value.isMissing else { return nil }
      try fields.put(value, into: target, overwrite: overwrite)
    case .move(let source, let target, let overwrite):
      guard let value = fields.value(source) else { return nil }
      if !value.isMissing {
        try fields.put(value, into: target, overwrite: overwrite)
      } else if fields.value(target) == nil {
        try fields.write(value, to: target)
      }
      fields[source] = nil
    case .unset(let field):
      if fields.value(field) != nil { fields[field] = nil }
    case .convert(let field, let conversion, let policy):
      guard let value = fields.value(field), !value.isMissing else { return nil }
      do throws(ValueConversion.Impossible) {
        fields[field] = try conversion.converted(value)
      } catch {
        let message = "cannot become \(conversion.target.rawValue): \(error.reason)"
        return try fields.leave(field, value, by: policy, .notConvertible, message)
      }
    case .rewrite(let field, let form): try fields.rewrite(field, form)
    case .map(let field, let replacements, let policy):
      guard let value = fields.value(field) else { return nil }
      let results = replacements.map { $0.to.typed(at: field, of: collection) }
      if let index = replacements.firstIndex(where: { $0.from == value }) {
        fields[field] = results[index]
      } else if !value.isMissing, !results.contains(value) {
        return try fields.leave(
          field,
          value,
          by: policy,
          .unknownValue,
          "holds a value that is not among those to be mapped"
        )
      }
    case .join(let sources, let separator, let target, let overwrite):
      var parts: [String] = []
      for source in sources {
        if let text = try fields.text(source) { parts.append(text) }
      }
      if parts.isEmpty { return nil }
      try fields.put(.string(parts.joined(separator: separator)), into: target, overwrite: overwrite)
    case .split(let source, let separator, let targets, let overwrite, let policy):
      guard let text = try fields.text(source) else { return nil }
      let parts = separator.map { Self.parts(of: text, at: $0) } ?? PlainText.tokens(text)
      guard parts.count == targets.count else {
        let message = "has \(NumberText.counted(parts.count, "part")), not \(targets.count)"
        return try fields.leave(source, .string(text), by: policy, .partsDiffer, message)
      }
      for (target, part) in zip(targets, parts) {
        try fields.put(.string(part), into: target, overwrite: overwrite)
      }
    case .softDelete:
      guard let rule = collection?.softDelete else { throw .noSoftDelete }
      // The others say the same to other programs, where a document has them.
      for field in [rule.path] + rule.also.filter({ fields[$0] != nil }) {
        let current = fields[field] ?? .null
        guard current.isNull || current.boolean != nil else {
          throw .wrongType(field, current, not: "boolean")
        }
        try fields.write(.boolean(rule.deleted), to: field)
      }
    case .hardDelete, .run: break
    }
    return nil
  }

  /// Splits a text at separators, compared by bytes.
  private static func parts(of text: String, at separator: String) -> [String] {
    let bytes = Array(text.utf8)
    let mark = Array(separator.utf8)
    var parts: [[UInt8]] = [[]]
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: mark) {
        parts.append([])
        index += mark.count
      } else {
        parts[parts.count - 1].append(bytes[index])
        index += 1
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension Value {
  /// Returns an integer as a double if the field is declared as double only, or if its present value is a double and may stay
  /// one: 7 is typed as an integer.
  func typed(by field: FieldSchema?, like existing: Value? = nil) -> Value {
    guard let integer, let number = Double(exactly: integer) else { return self }
    let types = field?.types ?? []
    let isDouble = if case .double? = existing { true } else { false }
    let mayStay = types.isEmpty || types.contains(.double)
    return types == [.double] || isDouble && mayStay ? .double(number) : self
  }

  /// Returns the value with the integers in it typed as ``typed(by:like:)``, also those in maps and arrays.
  ///
  /// - Parameter path: Where the value is; ``FieldSchema/elementName`` denotes the elements of an array.
  fileprivate func typed(
    at path: FieldPath,
    of collection: CollectionSchema?,
    like existing: Value? = nil
  ) -> Value {
    switch self {
    case .integer: return typed(by: collection?.field(throughElements: path), like: existing)
    case .map(let fields) where fields.vector == nil:
      return .map(
        FieldMap(
          fields.entries.map { entry in
            let value = entry.value.typed(
              at: path.appending(entry.name),
              of: collection,
              like: existing?.map?[entry.name]
            )
            return FieldMap.Entry(name: entry.name, value: value)
          }
        )
      )
    case .array(let values):
      let element = path.appending(FieldSchema.elementName)
      return .array(values.map { $0.typed(at: element, of: collection) })
    default: return self
    }
  }

  /// Whether the value counts as missing: null, or an empty or blank text.
  var isMissing: Bool { isNull || (string.map(PlainText.isBlank) ?? false) }
}

extension StepFailure {
  static let immutable = StepFailure(
    code: .immutable,
    message: "The schema declares the document immutable (--allow-immutable, allow-immutable: true)",
    consequence: "it is left as it is"
  )
  fileprivate static let noSoftDelete = StepFailure(
    code: .noSoftDelete,
    message: "The schema does not say how documents of this collection are deleted softly"
  )

  fileprivate static func wrongType(_ field: FieldPath, _ found: Value, not type: String) -> StepFailure {
    StepFailure(code: .wrongType, field: field, found: found, message: "is \(found.typeName), not \(type)")
  }
}

extension FieldMap {
  /// Returns the value of a field; nil inside a vector, which is a single value.
  fileprivate func value(_ field: FieldPath) -> Value? {
    var fields = self
    for segment in field.segments.dropLast() {
      guard let inner = fields[segment]?.map, inner.vector == nil else { return nil }
      fields = inner
    }
    return field.segments.last.flatMap { fields[$0] }
  }

  fileprivate func isMissing(_ field: FieldPath) -> Bool { value(field)?.isMissing ?? true }

  /// Returns the text of a field; nil if it is missing.
  fileprivate func text(_ field: FieldPath) throws(StepFailure) -> String? {
    guard let value = value(field), !value.isMissing else { return nil }
    guard let text = value.string else { throw .wrongType(field, value, not: "string") }
    return text
  }

  /// Sets a value; on the path to it there may only be maps, nulls, which become maps, or nothing.
  fileprivate mutating func write(_ value: Value, to field: FieldPath) throws(StepFailure) {
    var way: [String] = []
    for segment in field.segments.dropLast() {
      way.append(segment)
      guard let path = FieldPath(segments: way), let existing = self[path], !existing.isNull else { continue }
      guard let map = existing.map, map.vector == nil else {
        throw StepFailure(
          code: .parentNotMap,
          field: field,
          found: existing,
          message: "cannot be set: \(path) is \(existing.typeName), not a map"
        )
      }
    }
    self[field] = value
  }

  /// Writes a value where there is none or the same one; overwrites another value only on request.
  fileprivate mutating func put(_ value: Value, into field: FieldPath, overwrite: Bool) throws(StepFailure) {
    if let existing = self.value(field), !existing.isMissing, existing != value, !overwrite {
      throw StepFailure(
        kind: .review,
        code: .targetTaken,
        field: field,
        found: existing,
        message: "holds something else already"
      )
    }
    try write(value, to: field)
  }

  fileprivate mutating func rewrite(
    _ field: FieldPath,
    _ form: MigrationStep.TextForm
  ) throws(StepFailure) {
    guard let text = try text(field) else { return }
    switch form {
    case .lower: self[field] = .string(text.lowercased())
    case .trim: self[field] = .string(PlainText.trimmed(text))
    case .digits:
      func failure(_ message: String) -> StepFailure {
        StepFailure(code: .notDigits, field: field, found: .string(text), message: message)
      }
      guard let digits = PlainText.phoneDigits(text) else {
        throw failure("holds more than digits and the signs between them")
      }
      // Without its +, a foreign number would look like a local number, which is somebody else's.
      if text.utf8.contains(UInt8(ascii: "+")), !PlainText.isMexican(digits) {
        throw failure("has a + and is no number of Mexico (+52); without the + it would be another number")
      }
      self[field] = .string(digits)
    }
  }

  /// Applies a policy to a value that a step cannot process.
  fileprivate mutating func leave(
    _ field: FieldPath,
    _ value: Value,
    by policy: MigrationStep.FailurePolicy,
    _ code: DeclarativeMigration.Code,
    _ message: String
  ) throws(StepFailure) -> StepFailure {
    var failure = StepFailure(kind: .note, code: code, field: field, found: value, message: message)
    switch policy {
    case .keep: failure.consequence = "it stays"
    case .null:
      self[field] = .null
      failure.consequence = "it becomes null"
    case .reject:
      failure.kind = .reject
      throw failure
    case .skip: throw failure
    }
    return failure
  }
}
