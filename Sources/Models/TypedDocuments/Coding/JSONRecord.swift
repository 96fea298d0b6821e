/// A small record that is stored as one JSON object: a run record, a checkpoint, a manifest, a claim.
///
///     struct Claim: JSONRecord { var holder: String, task: Int }
///     try JSONFile.write(claim.json, to: path)                  // {"holder":"ana@laptop","task":3}
///     let claim = try JSONFile.read(path, as: Claim.self)
///
/// Members are written in the order of the type's `CodingKeys`, and those of a dictionary in the UTF-8 order of their names. A
/// nil optional is omitted; ``ExplicitNull`` writes null. A ``Timestamp`` is written as RFC 3339 text. Since a record that is
/// read may come from another version or another source, unknown members are ignored, and an integer must be a count, 0 to
/// `Int.maximumCount`.
package protocol JSONRecord: Codable, Sendable {
  /// Checks a record that was read, beyond the types of its members.
  func validate() throws(WireError)
}

extension JSONRecord {
  package func validate() throws(WireError) {}

  /// The record as one line of JSON, without a line break.
  package var json: [UInt8] {
    JSONWriter.bytes { $0.record(self) }
  }

  /// The record as one line of JSON, ending with a line break.
  package var line: [UInt8] { json + [UInt8(ascii: "\n")] }

  /// Reads a record.
  ///
  /// - Throws: ``WireError`` for a member that is missing or has another type; errors of ``validate()``.
  package init(_ json: JSONCursor) throws(WireError) { try self.init(recordValue: Value(plain: json)) }
}

extension JSONRecord {
  /// The record as a member of another record that does not know its type.
  package var recordValue: Value { ValueEncoder.Node(of: self).value }

  /// Reads a record that was stored in another one.
  ///
  /// - Throws: As ``init(_:)``.
  package init(recordValue: Value) throws(WireError) {
    do {
      self = try ValueDecoder(record: recordValue).unbox(Self.self)
    } catch let error as DecodingError {
      throw WireError(error)
    } catch {
      throw error as? WireError ?? WireError("\(error)")
    }
    try validate()
  }
}

extension JSONWriter {
  /// Writes a record, or a part of one.
  ///
  /// - Precondition: It contains only what JSON can represent: no bytes, references or geo points, and no integers beyond 64
  ///   bits.
  package mutating func record(_ record: some Encodable) { ValueEncoder.Node(of: record).write(to: &self) }

  /// Writes a member with a record, a list or a dictionary; omits it if nil.
  package mutating func member(_ name: StaticString, record: (some Encodable)?) {
    guard let record else { return }
    key(name)
    self.record(record)
  }
}

/// A record inside another one whose readers do not know its type.
package struct NestedRecord: Codable, Sendable, Equatable {
  private let value: Value

  package init(_ record: some JSONRecord) {
    value = record.recordValue
  }

  /// Decodes the record as its actual type.
  ///
  /// - Throws: As ``JSONRecord/init(_:)``.
  package func decoded<R: JSONRecord>(as type: R.Type = R.self) throws(WireError) -> R {
    try R(recordValue: value)
  }

  /// Whether both have the same JSON.
  package static func == (a: NestedRecord, b: NestedRecord) -> Bool { a.bytes == b.bytes }

  private var bytes: [UInt8] {
    JSONWriter.bytes { $0.plain(value) }
  }

  package init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else { throw WireError("it is no record") }
    value = decoder.value
  }

  package func encode(to encoder: any Encoder) throws { (encoder as? ValueEncoder)?.set(value) }
}

extension ValueEncoder.Node {
  fileprivate convenience init(of record: some Encodable) {
    self.init()
    do {
      try ValueEncoder(node: self, codingPath: [], userInfo: [:], isRecord: true).box(record)
    } catch {
      preconditionFailure("a record cannot be encoded: \(error)")
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    switch content {
    case .nothing: json.object { _ in }
    case .value(let value): json.plain(value)
    case .map(let members):
      json.object {
        for (name, node) in members {
          $0.key(name)
          node.write(to: &$0)
        }
      }
    case .array(let elements): json.array { for node in elements { node.write(to: &$0) } }
    }
  }

  /// Sorts the members of a dictionary, whose order varies between runs.
  func sortMembers() {
    guard case .map(let members) = content else { return }
    content = .map(members.sorted { UTF8Key($0.name) < UTF8Key($1.name) })
  }
}

extension JSONWriter {
  /// Writes a value as plain JSON, without its Firestore type.
  mutating func plain(_ value: Value) {
    switch value {
    case .null: null()
    case .boolean(let truth): boolean(truth)
    case .integer(let number): integer(number)
    case .double(let number): double(number)
    case .string(let text): string(text)
    case .timestamp(let time): timestamp(time)
    case .array(let values): array { for value in values { $0.plain(value) } }
    case .map(let fields):
      object {
        for entry in fields.entries {
          $0.key(entry.name)
          $0.plain(entry.value)
        }
      }
    default: preconditionFailure("a record has no \(value.typeName)")
    }
  }
}

extension ValueDecoder {
  fileprivate init(record: Value) {
    self.init(value: record, codingPath: [], userInfo: [:], documentPath: nil, isRecord: true)
  }
}

extension Value {
  /// Reads plain JSON, without Firestore types.
  init(plain json: JSONCursor) {
    switch json.kind {
    case .null: self = .null
    case .boolean: self = .boolean(json.boolean ?? false)
    case .string: self = .string(json.string ?? "")
    case .array: self = .array(json.elements.map { Value(plain: $0) })
    case .object:
      self = .map(
        FieldMap(json.members.map { FieldMap.Entry(name: $0.name.string, value: Value(plain: $0.value)) })
      )
    case .integer, .double: self = json.integer.map { .integer($0) } ?? .double(json.double ?? .nan)
    }
  }
}

extension WireError {
  /// Creates an error with the member and the reason of a decoding error, but none of its data.
  fileprivate init(_ error: DecodingError) {
    let context =
      switch error {
      case .keyNotFound(_, let context), .valueNotFound(_, let context), .typeMismatch(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "\(error)")
      }
    self.init(
      (context.underlyingError as? CodingFault)?.reason ?? context.debugDescription,
      at: context.codingPath.map(\.stringValue)
    )
  }
}
