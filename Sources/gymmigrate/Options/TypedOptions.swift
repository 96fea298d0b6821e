import Configuration
import Schema
import Tables

// Options that are parsed as their actual types. The parser names an invalid value and its option; these readers say what is
// expected instead.

extension Option where Value == Int {
  /// A whole number with a default.
  init(
    wrappedValue: Int,
    name: NameSpecification = .long,
    help: ArgumentHelp,
    from least: Int,
    to most: Int? = nil
  ) {
    self.init(
      wrappedValue: wrappedValue,
      name: name,
      // A value beginning with a hyphen may be a negative number, and is refused as a value.
      parsing: .unconditional,
      help: help.valued("n").withDefault("\(wrappedValue)"),
      transform: { try TypedValue.wholeNumber($0, from: least, to: most) }
    )
  }
}

extension Option where Value == Int {
  /// A required whole number.
  init(help: ArgumentHelp, from least: Int, to most: Int) {
    self.init(
      parsing: .unconditional,
      help: help.valued("n"),
      transform: { try TypedValue.wholeNumber($0, from: least, to: most) }
    )
  }
}

extension Option where Value == Int? {
  /// A whole number; nil if not given.
  init(name: NameSpecification = .long, help: ArgumentHelp, from least: Int, to most: Int? = nil) {
    self.init(
      name: name,
      parsing: .unconditional,
      help: help.valued("n"),
      transform: { try TypedValue.wholeNumber($0, from: least, to: most) }
    )
  }
}

extension Option where Value == Duration {
  /// A duration with a default, above 0 unless `allowsZero`; used for all durations, so that all are parsed and described alike.
  init(
    wrappedValue: Duration,
    name: NameSpecification = .long,
    help: ArgumentHelp,
    allowsZero: Bool = false
  ) {
    var help = help
    help.valueName = "duration"
    if help.abstract.hasSuffix(".") { help.abstract.removeLast() }
    help.abstract += ": 90s, 5m, 1h, 500ms, or a bare number of seconds."
    self.init(
      wrappedValue: wrappedValue,
      name: name,
      parsing: .unconditional,
      help: help.withDefault(wrappedValue.typedText),
      transform: allowsZero ? TypedValue.durationOrZero : TypedValue.duration
    )
  }
}

extension Option where Value == String? {
  /// A file or folder on this machine; nil if not given.
  init(name: NameSpecification = .long, localFile help: ArgumentHelp) {
    self.init(name: name, help: help.valued("file"), transform: TypedValue.localFile)
  }

  /// The ID of a project or a database; nil if not given.
  init(databasePart help: ArgumentHelp) {
    self.init(help: help.valued("id"), transform: TypedValue.databasePart)
  }
}

extension ArgumentHelp {
  /// Returns this help with a name for the value, unless it has one.
  func valued(_ name: String) -> ArgumentHelp {
    var help = self
    help.valueName = help.valueName ?? name
    return help
  }

  /// Returns this help with the default at the end of the sentence; the parser only adds it for its own types.
  func withDefault(_ text: String) -> ArgumentHelp {
    var help = self
    if help.abstract.hasSuffix(".") { help.abstract.removeLast() }
    help.abstract += " (default: \(text))."
    return help
  }
}

extension Optional {
  /// Returns the parsed value.
  ///
  /// - Throws: `ValidationError` that says what is expected if there is none.
  func orExpecting(_ what: String) throws -> Wrapped {
    if let value = self { return value }
    throw ValidationError("give \(what).")
  }
}

/// Parsers of option values; each throws a `ValidationError` that says what is expected.
enum TypedValue {
  static func wholeNumber(_ text: String, from least: Int, to most: Int? = nil) throws -> Int {
    guard let number = Int(text), number >= least, number <= most ?? .max else {
      throw ValidationError("give a whole number from \(least)\(most.map { " to \($0)" } ?? "").")
    }
    return number
  }

  /// Parses the header of a table: field names, or labels in a language.
  static func header(_ text: String) throws -> Column.HeaderLanguage {
    switch text {
    case "fields": return .fieldNames
    case "english": return .labels("en")
    case "spanish": return .labels("es")
    default:
      guard (2...3).contains(text.utf8.count), text.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else {
        throw ValidationError("give fields, en (english), es (spanish), or the code of another language.")
      }
      return .labels(text)
    }
  }

  static func columnTypes(_ text: String) throws -> [HeadingOption<ColumnType>] {
    try HeadingOption<ColumnType>.list(parsing: text).orExpecting(
      "HEADING=TYPE, with commas between several. The types are \(ColumnType.description)"
    )
  }

  static func columnNumbers(_ text: String) throws -> SheetOption<Set<Int>> {
    let (sheet, numbers) = sheetAndRest(text)
    let columns = try numbers.split(separator: ",", omittingEmptySubsequences: false).map { piece in
      guard let number = Int(piece), number > 0 else {
        throw ValidationError("give numbers from 1, with commas between several, of one sheet as SHEET=2,3.")
      }
      return number
    }
    return SheetOption(sheet: sheet, value: Set(columns))
  }

  /// Parses the number of a row: `3`, or `SHEET=3`.
  static func sheetRow(_ text: String) throws -> SheetOption<Int> {
    let (sheet, number) = sheetAndRest(text)
    guard let row = Int(number), row > 0 else {
      throw ValidationError("give a number from 1, of one sheet as SHEET=3.")
    }
    return SheetOption(sheet: sheet, value: row)
  }

  private static func sheetAndRest(_ text: String) -> (sheet: String?, rest: Substring) {
    guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "=")) else { return (nil, Substring(text)) }
    return (String(text[..<sign]), text[text.utf8.index(after: sign)...])
  }

  static func character(_ text: String) throws -> UInt8 {
    try TableReading.asciiCharacter(text).orExpecting("one character, such as #")
  }

  /// Parses the fields of columns.
  static func renames(_ text: String) throws -> [HeadingOption<FieldPath>] {
    let renames = try HeadingOption<FieldPath>.list(parsing: text).orExpecting(
      "HEADING=FIELD, with commas between several; a field is a path, as plan.price"
    )
    for rename in renames {
      if rename.value == .documentName { throw ValidationError("\(rename.value) is no field.") }
      _ = try checked(rename.value, "'\(rename.heading)'")
    }
    return renames
  }

  static func dateOrder(_ text: String) throws -> DateOrder {
    try DateOrder(pattern: text).orExpecting(DateOrder.expectation)
  }

  static func positiveNumber(_ text: String) throws -> Double {
    guard let number = Double(text), number > 0, number.isFinite else {
      throw ValidationError("give a number above 0.")
    }
    return number
  }

  /// Parses a duration above 0.
  static func duration(_ text: String) throws -> Duration {
    guard let duration = Duration(typed: text), duration > .zero else {
      throw ValidationError("give a duration above 0, as 90, 90s, 5m, 1h, 7d or 500ms.")
    }
    return duration
  }

  static func durationOrZero(_ text: String) throws -> Duration {
    try Duration(typed: text).orExpecting("a duration, as 90, 90s, 5m, 1h, 7d or 0s")
  }

  static func readTime(_ text: String) throws -> ReadTimeChoice {
    try ReadTimeChoice(parsing: text).orExpecting("now, none, or a time as 2026-01-31T12:00:00Z")
  }

  static func moment(_ text: String) throws -> Timestamp {
    try Timestamp(text).orExpecting("a time as 2026-01-31T12:00:00Z")
  }

  /// Parses the path of a field to request from the service.
  ///
  /// - Throws: `ValidationError` that names the option and the text.
  static func field(_ text: String, of option: String) throws -> FieldPath {
    do {
      return try checked(try FieldPath(parsing: text), option)
    } catch let error as FieldPathError {
      throw ValidationError("\(option): \(error).")
    }
  }

  /// Parses comma-separated field paths.
  ///
  /// - Throws: As ``field(_:of:)``.
  static func fields(_ text: String, of option: String) throws -> [FieldPath] {
    do {
      return try FieldPath.list(parsing: text).map { try checked($0, option) }
    } catch let error as FieldPathError {
      throw ValidationError("\(option): \(error).")
    }
  }

  private static func checked(_ path: FieldPath, _ option: String) throws -> FieldPath {
    // Masks and orders accept the document name as a field.
    if path == .documentName { return path }
    if let violation = DocumentLimits.violations(of: path).first {
      throw ValidationError("\(option): \(violation.message).")
    }
    return path
  }

  /// Parses the path of a document; the error names only the text.
  static func document(_ path: String) throws -> DocumentPath {
    guard let document = DocumentPath(path) else {
      throw ValidationError("'\(path)' is not the path of a document, as users/u1.")
    }
    if let violation = PathLimits.violations(of: document).first {
      throw ValidationError("'\(path)': \(violation.message).")
    }
    return document
  }

  /// Refuses invalid document IDs.
  static func assertIDs(_ ids: [String]) throws {
    for id in ids {
      if let violation = PathLimits.violation(ofID: id, isDocument: true) {
        throw ValidationError("'\(id)': \(violation.message).")
      }
    }
  }

  /// Parses the ID of a project or a database.
  ///
  /// Only the server decides which IDs exist: other servers accept IDs that Google's does not.
  static func databasePart(_ text: String) throws -> String {
    if DatabaseName.isPart(text) { return text }
    throw ValidationError("give \(DatabaseName.partDescription).")
  }

  static func endpoint(_ text: String) throws -> String {
    let endpoint = try? Configuration.checkedEndpoint(text)
    return try endpoint.orExpecting("scheme, host and port, such as http://127.0.0.1:8080, without /v1")
  }

  /// Parses a service account and the accounts that lead to it.
  static func serviceAccount(_ text: String) throws -> ServiceAccountChain {
    try ServiceAccountChain(text).orExpecting(ServiceAccountChain.expectation)
  }

  static func database(_ text: String) throws -> DatabaseName {
    try DatabaseName(parsing: text).orExpecting("projects/P/databases/D")
  }

  /// Parses the name of a file or folder on this machine.
  ///
  /// - Throws: `ValidationError` for an address.
  static func localFile(_ text: String) throws -> String {
    if let scheme = FileAccess.scheme(of: text) {
      throw ValidationError(
        "\(scheme) cannot be used here, only a file of this machine; copy it with 'gcloud storage cp', and name the copy."
      )
    }
    return text
  }

  /// Parses the name of a file or folder, which may be an address in Cloud Storage.
  ///
  /// - Throws: `ValidationError` for any other address.
  static func file(_ text: String) throws -> String {
    if let scheme = FileAccess.scheme(of: text), !FileAccess.isRemote(text) {
      throw ValidationError("\(scheme) is not supported; give a file of this machine, or gs://BUCKET/NAME.")
    }
    return text
  }
}
