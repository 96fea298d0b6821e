/// The context in which literals and filters are parsed.
package struct LiteralContext: Sendable {
  /// The database of `ref(…)` and `__name__`.
  package let database: DatabaseName
  /// Whether `__name__` may be compared with the full name of a document of any database, because the database is not known yet.
  package let isOfAnyDatabase: Bool
  /// Returns the start of a day; nil for an invalid date.
  ///
  /// - Throws: ``WireError`` if the time zone is not known.
  package typealias DayStart =
    @Sendable (_ year: Int, _ month: Int, _ day: Int) throws(WireError) -> Timestamp?

  /// The start of a day, for `ts(2026-01-31)`.
  package let startOfDay: DayStart

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - database: Nil if it is not known yet, which suffices to check a text.
  ///   - startOfDay: The start of a day in the time zone; UTC by default.
  package init(
    database: DatabaseName?,
    startOfDay: @escaping DayStart = Self.utcDay
  ) {
    self.database = database ?? DatabaseName(project: "unknown")
    isOfAnyDatabase = database == nil
    self.startOfDay = startOfDay
  }

  /// The start of a day in UTC.
  @Sendable package static func utcDay(_ year: Int, _ month: Int, _ day: Int) -> Timestamp? {
    guard Civil.isDate(year: year, month: month, day: day) else { return nil }
    return Timestamp(seconds: Int64(Civil.days(year: year, month: month, day: day)) * 86_400)
  }
}

/// Values as typed in filters, in `--set` and in YAML.
///
/// JSON scalars have their JSON type; integers and doubles are distinct (`1`, `1.0`). `ts(2026-01-01T00:00:00Z)` and
/// `ts(2026-01-01)` are timestamps, `ref(users/u1)` is a reference, `"007"` is a string. Other bare words are strings unless they
/// look like something else (``BareWord``). docs/filters.md has the grammar.
///
///     let context = LiteralContext(database: DatabaseName(project: "p"))
///     try ValueLiteral.parse("7", in: context)             // .integer(7)
///     try ValueLiteral.parse("2026-01-31", in: context)    // throws: ts(2026-01-31), or "2026-01-31"
package enum ValueLiteral {
  /// Parses a literal; references are relative to the context's database unless they are full names.
  ///
  /// - Throws: ``WireError`` with the text, and with both spellings if it is ambiguous.
  package static func parse(_ text: String, in context: LiteralContext) throws(WireError) -> Value {
    switch text {
    case "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let inner = argument(of: "ts", in: text) { return .timestamp(try timestamp(inner, text, in: context)) }
    if let inner = argument(of: "ref", in: text) {
      if DatabaseName.split(inner) != nil { return .reference(inner) }
      guard !isEnclosed(inner), let path = DocumentPath(inner) else {
        throw WireError("'\(text)' is not a reference; write it as ref(users/u1)")
      }
      return .reference(context.database.name(of: path))
    }
    if text.utf8.first == UInt8(ascii: "\"") { return .string(try quoted(text)) }
    if let number = number(text) { return number }
    if let lookalike = BareWord.lookalike(of: text) {
      throw WireError("'\(text)' \(lookalike.advice(for: text))")
    }
    return .string(text)
  }

  /// Parses a JSON string.
  static func quoted(_ text: String) throws(WireError) -> String {
    let parsed = try? JSONParser().parse(Array(text.utf8)) { root throws(WireError) in root.string }
    guard let parsed else { throw WireError("\(text) is not a text in double quotes, as JSON writes it") }
    return parsed
  }

  /// Parses a JSON number; nil for anything else, such as `007`, `1e` and `.5`, and for numbers out of range.
  package static func number(_ text: String) -> Value? {
    guard BareWord.isJSONNumber(text) else { return nil }
    if BareWord.isWhole(text), !text.isIdentical(to: "-0") { return Int64(text).map { .integer($0) } }
    guard let number = Double(text), number.isFinite,
      number != 0 || DecimalDigits(text.utf8)?.integer == 0
    else { return nil }
    return .double(number)
  }

  private static func argument(of function: String, in text: String) -> String? {
    guard text.hasPrefix("\(function)("), text.hasSuffix(")") else { return nil }
    return String(text.dropFirst(function.count + 1).dropLast())
  }

  /// Whether a path is enclosed in quotes or spaces, which would become part of its IDs.
  private static func isEnclosed(_ path: String) -> Bool {
    guard let first = path.unicodeScalars.first, let last = path.unicodeScalars.last else { return false }
    return first == last && "\"'`".unicodeScalars.contains(first)
      || [first, last].contains { PlainText.isWhiteSpace($0) }
  }

  private static func timestamp(
    _ inner: String,
    _ text: String,
    in context: LiteralContext
  ) throws(WireError) -> Timestamp {
    if let time = Timestamp(inner) { return time }
    if let (year, month, day) = inner.withBytes(Civil.date),
      let time = try context.startOfDay(year, month, day)
    {
      return time
    }
    throw WireError(
      "'\(text)' is not a time; write ts(2026-01-31T12:00:00Z), or ts(2026-01-31) for the start of that day"
    )
  }
}
