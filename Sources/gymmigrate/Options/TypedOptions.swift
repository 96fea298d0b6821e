import Configuration
import Schema
import Tables

// Options that are read as what they are. The parser names a value that is refused, with its option; these readers say
// what is expected instead.

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
      // What begins with a hyphen may be a negative number: it is refused by its value.
      parsing: .unconditional,
      help: help.valued("n").withDefault("\(wrappedValue)"),
      transform: { try TypedValue.wholeNumber($0, from: least, to: most) }
    )
  }
}

extension Option where Value == Int {
  /// A whole number that has to be given.
  init(help: ArgumentHelp, from least: Int, to most: Int) {
    self.init(
      parsing: .unconditional,
      help: help.valued("n"),
      transform: { try TypedValue.wholeNumber($0, from: least, to: most) }
    )
  }
}

extension Option where Value == Int? {
  /// A whole number, nil where it is not given.
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
  /// A duration with a default, above 0 unless `allowsZero`; every option that is one is read, and described, by this.
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
  /// A file or folder of this machine, nil where it is not given.
  init(name: NameSpecification = .long, localFile help: ArgumentHelp) {
    self.init(name: name, help: help.valued("file"), transform: TypedValue.localFile)
  }

  /// The id of a project or of a database, nil where it is not given.
  init(databasePart help: ArgumentHelp) {
    self.init(help: help.valued("id"), transform: TypedValue.databasePart)
  }
}

extension ArgumentHelp {
  /// The same with a name for the value, where it has none.
  func valued(_ name: String) -> ArgumentHelp {
    var help = self
    help.valueName = help.valueName ?? name
    return help
  }

  /// The same sentence with the default at its end, which the parser knows of its own types alone.
  func withDefault(_ text: String) -> ArgumentHelp {
    var help = self
    if help.abstract.hasSuffix(".") { help.abstract.removeLast() }
    help.abstract += " (default: \(text))."
    return help
  }
}

extension Optional {
  /// The value that was read of what is typed.
  ///
  /// - Throws: `ValidationError` that says what is expected instead.
  func orExpecting(_ what: String) throws -> Wrapped {
    if let value = self { return value }
    throw ValidationError("give \(what).")
  }
}

/// Readers of what is typed for an option; each throws a `ValidationError` that says what is expected.
enum TypedValue {
  /// Reads a whole number.
  static func wholeNumber(_ text: String, from least: Int, to most: Int? = nil) throws -> Int {
    guard let number = Int(text), number >= least, number <= most ?? .max else {
      throw ValidationError("give a whole number from \(least)\(most.map { " to \($0)" } ?? "").")
    }
    return number
  }

  /// Reads the header of a table: field names, or labels in a language.
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

  /// Reads the types of columns.
  static func columnTypes(_ text: String) throws -> [HeadingOption<ColumnType>] {
    try HeadingOption<ColumnType>.list(parsing: text).orExpecting(
      "HEADING=TYPE, with commas between several. The types are \(ColumnType.description)"
    )
  }

  /// Reads the numbers of columns.
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

  /// Reads the number of a row: `3`, or `SHEET=3`.
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

  /// Reads a character of ASCII.
  static func character(_ text: String) throws -> UInt8 {
    try TableReading.asciiCharacter(text).orExpecting("one character, such as #")
  }

  /// Reads the fields of columns.
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

  /// Reads the pattern of dates.
  static func dateOrder(_ text: String) throws -> DateOrder {
    try DateOrder(pattern: text).orExpecting(DateOrder.expectation)
  }

  /// Reads a number above 0.
  static func positiveNumber(_ text: String) throws -> Double {
    guard let number = Double(text), number > 0, number.isFinite else {
      throw ValidationError("give a number above 0.")
    }
    return number
  }

  /// Reads a duration above 0.
  static func duration(_ text: String) throws -> Duration {
    guard let duration = Duration(typed: text), duration > .zero else {
      throw ValidationError("give a duration above 0, as 90, 90s, 5m, 1h, 7d or 500ms.")
    }
    return duration
  }

  /// Reads a duration that may be 0.
  static func durationOrZero(_ text: String) throws -> Duration {
    try Duration(typed: text).orExpecting("a duration, as 90, 90s, 5m, 1h, 7d or 0s")
  }

  /// Reads the moment to read at.
  static func readTime(_ text: String) throws -> ReadTimeChoice {
    try ReadTimeChoice(parsing: text).orExpecting("now, none, or a time as 2026-01-31T12:00:00Z")
  }

  static func moment(_ text: String) throws -> Timestamp {
    try Timestamp(text).orExpecting("a time as 2026-01-31T12:00:00Z")
  }

  /// Reads the path of a field that the service is asked for.
  ///
  /// - Throws: `ValidationError` that names the option and the text.
  static func field(_ text: String, of option: String) throws -> FieldPath {
    do {
      return try checked(try FieldPath(parsing: text), option)
    } catch let error as FieldPathError {
      throw ValidationError("\(option): \(error).")
    }
  }

  /// Reads paths of fields with commas in between.
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
    // Masks and orders take the document's name for a field.
    if path == .documentName { return path }
    if let violation = DocumentLimits.violations(of: path).first {
      throw ValidationError("\(option): \(violation.message).")
    }
    return path
  }

  /// Reads the path of a document, of which the message names the text alone.
  static func document(_ path: String) throws -> DocumentPath {
    guard let document = DocumentPath(path) else {
      throw ValidationError("'\(path)' is not the path of a document, as users/u1.")
    }
    if let violation = PathLimits.violations(of: document).first {
      throw ValidationError("'\(path)': \(violation.message).")
    }
    return document
  }

  /// Refuses what is no ID of a document.
  static func assertIDs(_ ids: [String]) throws {
    for id in ids {
      if let violation = PathLimits.violation(ofID: id, isDocument: true) {
        throw ValidationError("'\(id)': \(violation.message).")
      }
    }
  }

  /// Reads the id of a project or of a database.
  ///
  /// Which ids there are is for the server to say: others than Google's take others than Google does.
  static func databasePart(_ text: String) throws -> String {
    if DatabaseName.isPart(text) { return text }
    throw ValidationError("give \(DatabaseName.partDescription).")
  }

  /// Reads the address of a service.
  static func endpoint(_ text: String) throws -> String {
    let endpoint = try? Configuration.checkedEndpoint(text)
    return try endpoint.orExpecting("scheme, host and port, such as http://127.0.0.1:8080, without /v1")
  }

  /// Reads a service account and the accounts on the way to it.
  static func serviceAccount(_ text: String) throws -> ServiceAccountChain {
    try ServiceAccountChain(text).orExpecting(ServiceAccountChain.expectation)
  }

  /// Reads the name of a database.
  static func database(_ text: String) throws -> DatabaseName {
    try DatabaseName(parsing: text).orExpecting("projects/P/databases/D")
  }

  /// Reads the name of a file or folder of this machine.
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

  /// Reads the name of a file or folder, which may be an address in Cloud Storage.
  ///
  /// - Throws: `ValidationError` for any other address.
  static func file(_ text: String) throws -> String {
    if let scheme = FileAccess.scheme(of: text), !FileAccess.isRemote(text) {
      throw ValidationError("\(scheme) is not supported; give a file of this machine, or gs://BUCKET/NAME.")
    }
    return text
  }
}
