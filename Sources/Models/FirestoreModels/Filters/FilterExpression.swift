/// A parser of filters as typed on the command line: `role == "admin" and (visits >= 3 or vip == true)`.
///
/// A comparison is `FIELD OP VALUE`. The operators are `==` (or `=`), `!=`, `<`, `<=`, `>`, `>=`, `in`,
/// `not-in`, `array-contains`, `array-contains-any`, and without a value `is-null`, `is-not-null`, `is-nan`,
/// `is-not-nan`. Lists are in brackets: `role in [admin, trainer]`. Values are those of ``ValueLiteral``;
/// quote values that contain spaces or brackets. `and` binds tighter than `or`. `__name__` is compared with a
/// path or `ref(…)`. The parser refuses filters that the service would refuse or evaluate in an unexpected
/// way, such as null in a list. docs/filters.md has the grammar.
///
///     let context = LiteralContext(database: DatabaseName(project: "p"))
///     let filter = try FilterExpression.parse("visits >= 3 and role in [admin, trainer]", in: context)
///     DocumentFilter(filter).matches(document)
package struct FilterExpression {
  private let tokens: [Token]
  private let text: String
  private let context: LiteralContext
  private var index = 0
  private var depth = 0

  /// Parses an expression.
  ///
  /// - Parameter context: Resolves `ref(…)`, `__name__` and `ts(DATE)`.
  /// - Throws: ``WireError`` with what was expected and the position (in bytes, from 1).
  package static func parse(
    _ text: String,
    in context: LiteralContext
  ) throws(WireError) -> StructuredQuery.Filter {
    var parser = FilterExpression(tokens: try tokenize(text), text: text, context: context)
    let filter = try parser.disjunction()
    if let token = parser.peek { throw parser.unexpected(token, "'and', 'or' or the end") }
    if let violation = filter.violation { throw WireError("'\(text)': \(violation)") }
    return filter
  }

  // MARK: Grammar

  private mutating func disjunction() throws(WireError) -> StructuredQuery.Filter {
    var filters = [try conjunction()]
    while consume("or") { filters.append(try conjunction()) }
    return filters.count == 1 ? filters[0] : .or(filters)
  }

  private mutating func conjunction() throws(WireError) -> StructuredQuery.Filter {
    var filters = [try term()]
    while consume("and") { filters.append(try term()) }
    return filters.count == 1 ? filters[0] : .and(filters)
  }

  private mutating func term() throws(WireError) -> StructuredQuery.Filter {
    guard consume("(") else { return try comparison() }
    depth += 1
    defer { depth -= 1 }
    // The service accepts 30 disjunctions; more nesting than this is a mistake.
    if depth > 50 { throw WireError("'\(text)' has too many nested brackets") }
    let filter = try disjunction()
    guard consume(")") else { throw unexpected(peek, "')'") }
    return filter
  }

  private mutating func comparison() throws(WireError) -> StructuredQuery.Filter {
    guard let name = next() else { throw unexpected(nil, "a field") }
    let field = try FieldPath(wire: name.text)
    if field != .documentName, let violation = DocumentLimits.violations(of: field).first {
      throw error(violation.message)
    }
    guard let sign = next() else { throw unexpected(nil, "an operator") }
    if !sign.isQuoted, let test = Self.tests[sign.text] {
      if field == .documentName { throw nameNeedsComparison(sign) }
      return .unary(field, test)
    }
    guard !sign.isQuoted, let operation = Self.operators[sign.text] else {
      let accepted = (Self.operators.keys.sorted() + Self.tests.keys.sorted()).joined(separator: " ")
      throw unexpected(sign, "an operator: \(accepted)", hint: spaced(field, sign))
    }
    switch operation {
    case .arrayContains where field == .documentName, .arrayContainsAny where field == .documentName:
      throw nameNeedsComparison(sign)
    case .in, .notIn, .arrayContainsAny: return .field(field, operation, .array(try list(of: field, sign)))
    default: break
    }
    let value = try value(of: field)
    guard value.isNull else { return .field(field, operation, value) }
    switch operation {
    // Sent as a unary filter, as all client libraries do.
    case .equal: return .unary(field, .isNull)
    case .notEqual: return .unary(field, .isNotNull)
    default: throw error("null is allowed with == and != only; or write \"null\" for text")
    }
  }

  private func error(_ cause: String) -> WireError { WireError("in '\(text)', \(cause)") }

  /// The text between single quotes, starting at a token and possibly spanning several words; nil for anything else.
  private func singleQuoted(from token: Token) -> String? {
    let mark = UInt8(ascii: "'")
    guard token.text.utf8.first == mark, token.text.utf8.count == 1 || token.text.utf8.last != mark else {
      return nil
    }
    let rest = text.utf8.dropFirst(token.offset + 1)
    return rest.firstIndex(of: mark).map { String(Substring(rest[..<$0])) }
  }

  /// The quoted form of a field name with spaces, for a field that is followed by more words and a comparison; otherwise empty.
  private func spaced(_ field: FieldPath, _ sign: Token) -> String {
    let rest = tokens[index...].prefix { !$0.isQuoted && $0.text.first?.isLetter ?? false }
    let end = index + rest.count
    guard !sign.isQuoted, sign.text.first?.isLetter ?? false, field.segments.count == 1, end < tokens.count,
      !tokens[end].isQuoted, Self.operators[tokens[end].text] != nil
    else { return "" }
    let words = [sign.text] + rest.map(\.text)
    if ["and", "or", "not", "is"].contains(where: { words.contains($0) }) { return "" }
    let name = (field.segments + words).joined(separator: " ")
    return "; a name with spaces is written in back-quotes: \(FieldPath(field: name))"
  }

  private func nameNeedsComparison(_ sign: Token) -> WireError {
    error("__name__ is a path: it takes == != < <= > >= in not-in, and not \(sign.text)")
  }

  private static let tests: [String: StructuredQuery.UnaryOperator] = [
    "is-null": .isNull, "is-not-null": .isNotNull, "is-nan": .isNaN, "is-not-nan": .isNotNaN,
  ]

  private static let operators: [String: StructuredQuery.FieldOperator] = [
    "==": .equal, "=": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "in": .in, "not-in": .notIn, "array-contains": .arrayContains,
    "array-contains-any": .arrayContainsAny,
  ]

  private mutating func list(of field: FieldPath, _ sign: Token) throws(WireError) -> [Value] {
    guard consume("[") else { throw unexpected(peek, "a list, as [a, b]") }
    var values: [Value] = []
    repeat {
      let value = try value(of: field)
      if value.isNull {
        throw error("null in a list selects nothing: use is-null; or write \"null\" for text")
      }
      values.append(value)
    } while consume(",")
    guard consume("]") else { throw unexpected(peek, "',' or ']'") }
    return values
  }

  private mutating func value(of field: FieldPath) throws(WireError) -> Value {
    let token = next()
    guard let token, !token.isSign || token.isQuoted else { throw unexpected(token, "a value") }
    if field == .documentName { return .reference(context.database.name(of: try path(token))) }
    if let quoted = singleQuoted(from: token) {
      throw error("'\(quoted)' \(BareWord.Lookalike.singleQuoted.advice(for: "'\(quoted)'"))")
    }
    let value = try ValueLiteral.parse(token.source, in: context)
    // Whether the service compares or drops these digits is not known; Google's emulator does either, by the operator.
    if value != value.asStored {
      throw error("\(token.source) has digits below a microsecond, which no stored time has: leave them out")
    }
    return value
  }

  /// The path that `__name__` is compared with: bare, quoted, or in `ref(…)`.
  private func path(_ token: Token) throws(WireError) -> DocumentPath {
    var path = DocumentPath(token.text)
    if !token.isQuoted, BareWord.isCallHead(Array(token.text.utf8)), token.text.hasSuffix(")") {
      guard case .reference(let name) = try ValueLiteral.parse(token.text, in: context) else {
        throw error("\(token.source) is not a path: write users/u1 or ref(users/u1)")
      }
      path = context.isOfAnyDatabase ? DatabaseName.split(name)?.path : context.database.path(ofName: name)
      if path == nil {
        throw error("\(token.source) is a document of another database than \(context.database)")
      }
    }
    guard let path else {
      throw error(
        "\(token.source) is not the path of a document, which __name__ is compared with: write users/u1 or ref(users/u1)"
      )
    }
    if let violation = PathLimits.violations(of: path).first {
      throw error("\(token.source): \(violation.message)")
    }
    return path
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

  private mutating func consume(_ word: String) -> Bool {
    guard let token = peek, !token.isQuoted, token.text == word else { return false }
    index += 1
    return true
  }

  private func unexpected(_ token: Token?, _ expected: String, hint: String = "") -> WireError {
    guard let token else { return WireError("'\(text)' ends where \(expected) is expected") }
    return WireError(
      "at byte \(token.offset + 1) of '\(text)', \(expected) is expected instead of '\(token.source)'\(hint)"
    )
  }

  /// Splits the text into words, quoted strings, back-quoted field names and punctuation; a call such as
  /// `ts(…)` is one word.
  private static func tokenize(_ text: String) throws(WireError) -> [Token] {
    let bytes = Array(text.utf8)
    var tokens: [Token] = []
    var index = 0
    func source(from start: Int) -> String { String(decoding: bytes[start..<index], as: UTF8.self) }
    func token(from start: Int) -> Token {
      Token(text: source(from: start), source: source(from: start), offset: start)
    }
    while index < bytes.count {
      let start = index
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"):
        index += 1
        continue
      case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
        index += 1
        tokens.append(token(from: start))
      case UInt8(ascii: "\""):
        index = try end(of: UInt8(ascii: "\""), in: bytes, from: index + 1, text)
        let quoted = source(from: start)
        let plain = try ValueLiteral.quoted(quoted)
        tokens.append(Token(text: plain, source: quoted, offset: start, isQuoted: true))
      case let byte where isComparison(byte):
        while index < bytes.count, isComparison(bytes[index]) { index += 1 }
        tokens.append(token(from: start))
      default:
        while index < bytes.count, !isEnd(bytes[index]) {
          if bytes[index] == UInt8(ascii: "`") {
            index = try end(of: UInt8(ascii: "`"), in: bytes, from: index + 1, text)
          } else {
            index += 1
          }
        }
        let word = source(from: start)
        if word != "and", word != "or", index < bytes.count, bytes[index] == UInt8(ascii: "("),
          BareWord.isCallHead(Array(bytes[start...index]))
        {
          if word == "ref", let end = endOfReference(in: bytes, from: index) {
            index = end
          } else {
            index = try end(of: UInt8(ascii: ")"), in: bytes, from: index + 1, text)
          }
        }
        tokens.append(token(from: start))
      }
    }
    return tokens
  }

  /// The index after a reference whose bracket is at `start`, and which may have brackets in its name, as `(default)`; nil if it
  /// has no end.
  ///
  /// It ends where the grammar continues after a value: at a comma, `and`, `or`, or the end, with closing brackets before these.
  /// Of these brackets, it takes those that close its own.
  private static func endOfReference(in bytes: [UInt8], from start: Int) -> Int? {
    var (index, open) = (start, 0)
    // A name that is longer is refused anyway.
    while index < min(bytes.count, start + 2 * PathLimits.maximumNameBytes) {
      if bytes[index] == UInt8(ascii: "(") { open += 1 }
      guard bytes[index] == UInt8(ascii: ")") else {
        index += 1
        continue
      }
      let run = bytes[index...].prefix { $0 == UInt8(ascii: ")") }
      if endsValue(bytes[run.endIndex...]) { return index + min(run.count, max(1, open)) }
      open -= run.count
      index = run.endIndex
    }
    return nil
  }

  /// Whether what follows a value begins with what may.
  private static func endsValue(_ bytes: ArraySlice<UInt8>) -> Bool {
    let rest = bytes.drop { " \t\n)]".utf8.contains($0) }
    guard let first = rest.first, first != UInt8(ascii: ",") else { return true }
    let word = rest.prefix { !isEnd($0) }
    return ["and", "or"].contains { word.elementsEqual($0.utf8) }
  }

  private static func isComparison(_ byte: UInt8) -> Bool { "=!<>".utf8.contains(byte) }

  private static func isEnd(_ byte: UInt8) -> Bool {
    isComparison(byte) || " \t\n()[],\"".utf8.contains(byte)
  }

  /// The index after the next unescaped `mark`.
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
