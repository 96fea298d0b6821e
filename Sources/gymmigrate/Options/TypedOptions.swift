import Configuration
import Schema
import Transfer

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
      help: help.withDefault("\(wrappedValue)"),
      as: TypedValue.wholeNumber(from: least, to: most)
    )
  }

  /// A required whole number.
  init(help: ArgumentHelp, from least: Int, to most: Int) {
    self.init(parsing: .unconditional, help: help, as: TypedValue.wholeNumber(from: least, to: most))
  }
}

extension Option where Value == Int? {
  /// A whole number; nil if not given.
  init(help: ArgumentHelp, from least: Int, to most: Int? = nil) {
    self.init(parsing: .unconditional, help: help, as: TypedValue.wholeNumber(from: least, to: most))
  }
}

extension Option where Value == Duration {
  /// A duration with a default, above 0 unless `allowsZero`; used for all durations, so that all are parsed and described alike.
  init(wrappedValue: Duration, help: ArgumentHelp, allowsZero: Bool = false) {
    var help = help
    if help.abstract.hasSuffix(".") { help.abstract.removeLast() }
    help.abstract += ": 90s, 5m, 1h, 500ms, or a bare number of seconds."
    self.init(
      wrappedValue: wrappedValue,
      parsing: .unconditional,
      help: help.withDefault(wrappedValue.typedText),
      as: allowsZero ? TypedValue.durationOrZero : TypedValue.duration
    )
  }
}

extension Option where Value == String? {
  /// A file or folder on this machine; nil if not given.
  init(name: NameSpecification = .long, localFile help: ArgumentHelp) {
    self.init(name: name, help: help, as: TypedValue.localFile)
  }

  /// The ID of a project or a database; nil if not given.
  init(databasePart help: ArgumentHelp) {
    self.init(help: help, as: TypedValue.databasePart)
  }

  /// The environment, as `-e` or `--env`; nil if not given.
  init(env help: ArgumentHelp) {
    self.init(name: [.customShort("e"), .customLong("env")], help: help, as: TypedValue.environment)
  }
}

extension Option where Value == [String] {
  /// Filters, which must all hold.
  init(wrappedValue: [String], where help: ArgumentHelp) {
    self.init(
      wrappedValue: wrappedValue,
      name: .customLong("where"),
      help: help,
      as: TypedValue.text("filter")
    )
  }
}

extension ArgumentHelp {
  /// The help of an option that the help of commands leaves out; most are listed by their topic.
  static func hidden(_ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, visibility: .hidden) }

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

/// Readers of the values of options.
enum TypedValue {
  /// A text as it is.
  static func text(_ name: String) -> ValueReader<String> { ValueReader(name: name) { $0 } }

  static func wholeNumber(from least: Int, to most: Int? = nil) -> ValueReader<Int> {
    let what = "a whole number from \(least)\(most.map { " to \($0)" } ?? "")"
    return ValueReader("n", expecting: what) { text in
      Int(text).flatMap { (least...(most ?? .max)).contains($0) ? $0 : nil }
    }
  }

  /// The header of a table: field names, or labels in a language.
  static let header = ValueReader<Column.HeaderLanguage>(
    "language",
    expecting: "fields, en (english), es (spanish), or the code of another language"
  ) { text in
    switch text {
    case "fields": return .fieldNames
    case "english": return .labels("en")
    case "spanish": return .labels("es")
    default:
      let isCode = (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (0x61...0x7A).contains($0) }
      return isCode ? .labels(text) : nil
    }
  }

  static let columnTypes = ValueReader(
    "heading=type",
    expecting: "HEADING=TYPE, with commas between several. The types are \(ColumnType.description)"
  ) { HeadingOption<ColumnType>.list(parsing: $0) }

  static let columnNumbers = ValueReader(name: "n") { text in
    let (sheet, numbers) = sheetAndRest(text)
    let columns = try numbers.split(separator: ",", omittingEmptySubsequences: false).map { piece in
      guard let number = Int(piece), number > 0 else {
        throw ValidationError("give numbers from 1, with commas between several, of one sheet as SHEET=2,3.")
      }
      return number
    }
    return SheetOption(sheet: sheet, value: Set(columns))
  }

  /// The number of a row: `3`, or `SHEET=3`.
  static let sheetRow = ValueReader("n", expecting: "a number from 1, of one sheet as SHEET=3") { text in
    let (sheet, number) = sheetAndRest(text)
    return Int(number).flatMap { $0 > 0 ? SheetOption(sheet: sheet, value: $0) : nil }
  }

  private static func sheetAndRest(_ text: String) -> (sheet: String?, rest: Substring) {
    guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "=")) else { return (nil, Substring(text)) }
    return (String(text[..<sign]), text[text.utf8.index(after: sign)...])
  }

  static let character = ValueReader("character", expecting: "one character, such as #") {
    TableReading.asciiCharacter($0)
  }

  static let currency = ValueReader("signs", expecting: CurrencySigns.expectation) {
    CurrencySigns(rawValue: $0)
  }

  static let delimiter = ValueReader(expecting: CSVDelimiter.expectation) { CSVDelimiter(typed: $0) }

  /// The delimiter of a table to be written; one that occurs in unquoted cells, with which the table could not be read back, is
  /// refused.
  static let writtenDelimiter = ValueReader { text in
    let delimiter = try delimiter.read(text)
    if !delimiter.isWithinCells { return delimiter }
    throw ValidationError(
      "numbers, times or the heading __name__ have '\(text)'; give another, as semicolon."
    )
  }

  /// The fields of columns.
  static let renames = ValueReader(name: "heading=field") { text in
    let renames = try HeadingOption<FieldPath>.list(parsing: text).orExpecting(
      "HEADING=FIELD, with commas between several; a field is a path, as plan.price"
    )
    for rename in renames {
      if rename.value == .documentName { throw ValidationError("\(rename.value) is no field.") }
      _ = try checked(rename.value, "'\(rename.heading)'")
    }
    return renames
  }

  static let dateOrder = ValueReader("pattern", expecting: DateOrder.expectation) { DateOrder(pattern: $0) }

  static let positiveNumber = ValueReader("n", expecting: "a number above 0") { text in
    Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }

  static let errorBudget = ValueReader(
    "n|n%",
    expecting: "a whole number from 0, or a share from 0% to 100%"
  ) { ErrorBudget(parsing: $0) }

  static let dollars = ValueReader("usd", expecting: "US dollars, such as 2.50") { PriceList.dollars($0) }

  /// A share of documents.
  static let share = ValueReader(
    "share",
    expecting: "a share above 0% and up to 100%, with up to 4 decimals, as 0.5%"
  ) { SampleShare(typed: $0) }

  static let follow = ValueReader("ways", expecting: "out, in, out,in or none") {
    SubsetSettings.Follow(typed: $0)
  }

  /// The number of concurrent requests; with more than 16, the waiting pages would not fit in 64 MiB.
  static let parallelism = ValueReader("n", expecting: "a whole number from 1 to 16, or auto") { text in
    text == "auto" ? 8 : Int(text).flatMap { (1...16).contains($0) ? $0 : nil }
  }

  /// A duration above 0.
  static let duration = ValueReader(
    "duration",
    expecting: "a duration above 0, as 90, 90s, 5m, 1h, 7d or 500ms"
  ) { text in
    Duration(typed: text).flatMap { $0 > .zero ? $0 : nil }
  }

  static let durationOrZero = ValueReader(
    "duration",
    expecting: "a duration, as 90, 90s, 5m, 1h, 7d or 0s"
  ) { Duration(typed: $0) }

  static let readTime = ValueReader(
    "time",
    expecting: "now, none, or a time as 2026-01-31T12:00:00Z"
  ) { ReadTimeChoice(parsing: $0) }

  static let moment = ValueReader("time", expecting: "a time as 2026-01-31T12:00:00Z") { Timestamp($0) }

  static let logFormat = ValueReader(expecting: "text or json") { LogFormat(rawValue: $0) }

  static let notificationAddress = ValueReader("url", expecting: NotificationAddress.expectation) {
    if let address = NotificationAddress($0) { return address }
    // The parser's message has the text.
    Secrets.add($0)
    return nil
  }

  /// Parses the path of a field to request from the service.
  ///
  /// - Throws: `ValidationError` that names the option and the text.
  static func field(_ text: String, of option: String) throws -> FieldPath {
    try checked(try naming(option) { try FieldPath(parsing: text) }, option)
  }

  /// Parses comma-separated field paths.
  ///
  /// - Throws: As ``field(_:of:)``.
  static func fields(_ text: String, of option: String) throws -> [FieldPath] {
    try naming(option) { try FieldPath.list(parsing: text) }.map { try checked($0, option) }
  }

  /// Names the option in what is wrong with its text.
  static func naming<Value>(_ option: String, _ read: () throws -> Value) throws -> Value {
    do {
      return try read()
    } catch {
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

  /// Refuses invalid document IDs; the error names the option, or else the ID.
  static func assertIDs(_ ids: [String], of option: String? = nil) throws {
    for id in ids {
      if let violation = PathLimits.violation(ofID: id, isDocument: true) {
        throw ValidationError("\(option ?? "'\(id)'"): \(violation.message).")
      }
    }
  }

  /// The ID of a project or a database.
  ///
  /// Only the server decides which IDs exist: other servers accept IDs that Google's does not.
  static let databasePart = ValueReader("id", expecting: DatabaseName.partDescription) {
    DatabaseName.isPart($0) ? $0 : nil
  }

  static let endpoint = ValueReader(
    "url",
    expecting: "scheme, host and port, such as http://127.0.0.1:8080, without /v1"
  ) { try? Configuration.checkedEndpoint($0) }

  /// A service account and the accounts that lead to it.
  static let serviceAccount = ValueReader("email", expecting: ServiceAccountChain.expectation) {
    ServiceAccountChain($0)
  }

  static let database = ValueReader("projects/P/databases/D", expecting: "projects/P/databases/D") {
    DatabaseName(parsing: $0)
  }

  /// The name of a file or folder on this machine; an address is refused.
  static let localFile = ValueReader(name: "file") { text in
    if let scheme = FileAccess.scheme(of: text) {
      throw ValidationError(
        "\(scheme) cannot be used here, only a file of this machine; copy it with 'gcloud storage cp', and name the copy."
      )
    }
    // A command that is suggested with it could not be parsed otherwise.
    return text.hasPrefix("-") && text != "-" ? "./\(text)" : text
  }

  /// The name of a file or folder, which may be an address in Cloud Storage; any other address is refused.
  static let file = ValueReader(name: "file") { text in
    if let scheme = FileAccess.scheme(of: text), !FileAccess.isRemote(text) {
      throw ValidationError("\(scheme) is not supported; give a file of this machine, or gs://BUCKET/NAME.")
    }
    return text
  }
}
