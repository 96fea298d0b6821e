/// A filter as it is typed: `role == "admin" and (visits >= 3 or vip == true)`.
///
/// A comparison is `FIELD OP VALUE`. Operators: `==` (or `=`), `!=`, `<`, `<=`, `>`, `>=`, `in`, `not-in`,
/// `array-contains`, `array-contains-any`, and without a value `is-null`, `is-not-null`, `is-nan`, `is-not-nan`.
/// Lists stand in brackets: `role in [admin, trainer]`. Values are those of ``ValueLiteral``; one with a space or a
/// bracket in it is written in double quotes. `and` binds closer than `or`.
public struct FilterExpression {
  private let tokens: [Token]
  private let text: String
  private let database: DatabaseName
  private var index = 0
  private var depth = 0

  /// Parses an expression.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - database: The database that `ref(…)` points into.
  /// - Throws: ``WireError`` that says what was expected and where (byte, from 1).
  public static func parse(
    _ text: String,
    in database: DatabaseName
  ) throws(WireError) -> StructuredQuery.Filter {
    var parser = FilterExpression(tokens: try tokenize(text), text: text, database: database)
    let filter = try parser.disjunction()
    if let token = parser.peek { throw parser.unexpected(token, "'and', 'or' or the end") }
    return filter
  }

  private init(tokens: [Token], text: String, database: DatabaseName) {
    self.tokens = tokens
    self.text = text
    self.database = database
  }

  // MARK: Grammar

  private mutating func disjunction() throws(WireError) -> StructuredQuery.Filter {
    var filters = [try conjunction()]
    while takes("or") { filters.append(try conjunction()) }
    return filters.count == 1 ? filters[0] : .or(filters)
  }

  private mutating func conjunction() throws(WireError) -> StructuredQuery.Filter {
    var filters = [try term()]
    while takes("and") { filters.append(try term()) }
    return filters.count == 1 ? filters[0] : .and(filters)
  }

  private mutating func term() throws(WireError) -> StructuredQuery.Filter {
    if takes("(") {
      depth += 1
      defer { depth -= 1 }
      // The service takes 30 disjunctions; more brackets than this are a mistake.
      if depth > 50 { throw WireError("'\(text)' has too many brackets within each other") }
      let filter = try disjunction()
      guard takes(")") else { throw unexpected(peek, "')'") }
      return filter
    }
    return try comparison()
  }

  private mutating func comparison() throws(WireError) -> StructuredQuery.Filter {
    guard let name = next() else { throw unexpected(nil, "a field") }
    let field: FieldPath
    do throws(FieldPathError) {
      field = try FieldPath(parsing: name.text)
    } catch {
      throw WireError("\(error)")
    }
    guard let sign = next() else { throw unexpected(nil, "an operator") }
    switch sign.text {
    case "is-null": return .unary(field, .isNull)
    case "is-not-null": return .unary(field, .isNotNull)
    case "is-nan": return .unary(field, .isNaN)
    case "is-not-nan": return .unary(field, .isNotNaN)
    default: break
    }
    guard let operation = Self.operators[sign.text] else {
      throw unexpected(
        sign,
        "an operator: \(Self.operators.keys.sorted().joined(separator: " ")) is-null is-not-null is-nan is-not-nan"
      )
    }
    switch operation {
    case .in, .notIn, .arrayContainsAny: return .field(field, operation, .array(try list(of: field)))
    default: return .field(field, operation, try value(of: field))
    }
  }

  private static let operators: [String: StructuredQuery.FieldOperator] = [
    "==": .equal, "=": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "in": .in, "not-in": .notIn, "array-contains": .arrayContains,
    "array-contains-any": .arrayContainsAny,
  ]

  private mutating func list(of field: FieldPath) throws(WireError) -> [Value] {
    guard takes("[") else { throw unexpected(peek, "a list, as [a, b]") }
    var values = [try value(of: field)]
    while takes(",") { values.append(try value(of: field)) }
    guard takes("]") else { throw unexpected(peek, "',' or ']'") }
    return values
  }

  private mutating func value(of field: FieldPath) throws(WireError) -> Value {
    guard let token = next(), !token.isSign || token.isQuoted else { throw unexpected(peek, "a value") }
    // The document's name is compared with a reference; a path is meant where a text stands.
    if field == .documentName, let path = DocumentPath(token.text) {
      return .reference(database.name(of: path))
    }
    return try ValueLiteral.parse(token.isQuoted ? token.source : token.text, in: database)
  }

  // MARK: Tokens

  private struct Token {
    var text: String
    var source: String
    var offset: Int
    var isQuoted = false
    var isSign: Bool { ["(", ")", "[", "]", ","].contains(text) }
  }

  private var peek: Token? { index < tokens.count ? tokens[index] : nil }

  private mutating func next() -> Token? {
    defer { index += 1 }
    return peek
  }

  private mutating func takes(_ word: String) -> Bool {
    guard let token = peek, !token.isQuoted, token.text == word else { return false }
    index += 1
    return true
  }

  private func unexpected(_ token: Token?, _ wanted: String) -> WireError {
    guard let token else { return WireError("'\(text)' ends where \(wanted) is expected") }
    return WireError(
      "at byte \(token.offset + 1) of '\(text)', \(wanted) is expected instead of '\(token.source)'"
    )
  }

  /// Words, quoted texts, back-quoted field names and the signs of grouping; `ts(…)` and `ref(…)` are one word.
  private static func tokenize(_ text: String) throws(WireError) -> [Token] {
    let bytes = Array(text.utf8)
    var tokens: [Token] = []
    var index = 0
    func source(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    while index < bytes.count {
      let start = index
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"):
        index += 1
        continue
      case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
        index += 1
        tokens.append(Token(text: source(start..<index), source: source(start..<index), offset: start))
      case UInt8(ascii: "\""):
        index = try end(of: UInt8(ascii: "\""), in: bytes, from: index + 1, text)
        let quoted = source(start..<index)
        let plain = try ValueLiteral.parse(quoted, in: DatabaseName(project: "")).string ?? quoted
        tokens.append(Token(text: plain, source: quoted, offset: start, isQuoted: true))
      case let byte where isComparison(byte):
        while index < bytes.count, isComparison(bytes[index]) { index += 1 }
        tokens.append(Token(text: source(start..<index), source: source(start..<index), offset: start))
      default:
        while index < bytes.count, !isEnd(bytes[index]) {
          if bytes[index] == UInt8(ascii: "`") {
            index = try end(of: UInt8(ascii: "`"), in: bytes, from: index + 1, text)
          } else {
            index += 1
          }
        }
        let word = source(start..<index)
        if word == "ts" || word == "ref", index < bytes.count, bytes[index] == UInt8(ascii: "(") {
          index = try end(of: UInt8(ascii: ")"), in: bytes, from: index + 1, text)
        }
        tokens.append(Token(text: source(start..<index), source: source(start..<index), offset: start))
      }
    }
    return tokens
  }

  private static func isComparison(_ byte: UInt8) -> Bool { "=!<>".utf8.contains(byte) }

  private static func isEnd(_ byte: UInt8) -> Bool {
    isComparison(byte) || " \t\n()[],\"".utf8.contains(byte)
  }

  /// The index behind the next `mark` that no back-slash stands before.
  private static func end(
    of mark: UInt8,
    in bytes: [UInt8],
    from start: Int,
    _ text: String
  ) throws(WireError) -> Int {
    var index = start
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 2
      } else if bytes[index] == mark {
        return index + 1
      } else {
        index += 1
      }
    }
    let sign = String(decoding: [mark], as: UTF8.self)
    throw WireError("'\(text)': a closing \(sign) is missing for what begins at byte \(start)")
  }
}
