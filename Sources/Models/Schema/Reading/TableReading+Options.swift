extension TableReading {
  /// An option for tables, named as on the command line and in `import:`.
  package struct Option: Sendable {
    package let name: String
    /// The accepted values, for messages.
    package let expectation: String
    /// Whether a list in `import:` sets the option, one element after the other.
    package var takesSeveral = false
    /// Sets the option from a typed text; false if the text is not valid.
    package let set: @Sendable (String, inout TableReading) -> Bool
    /// Sets the option for a heading, from a map in `import:`; nil if the option does not apply to headings.
    package var setHeading: (@Sendable (_ heading: String, String, inout TableReading) -> Bool)?
    /// The texts that set the option; empty if it is not set, or is another spelling of an earlier option.
    package let shown: @Sendable (TableReading) -> [String]
    /// Takes the option from another reading if it is not set here; options of headings are merged.
    package let complete: @Sendable (inout TableReading, TableReading) -> Void
  }

  private typealias Path<Value> = any WritableKeyPath<TableReading, Value> & Sendable

  package static let options: [Option] = [
    choice("encoding", \.encoding),
    value("delimiter", \.delimiter, CSVDelimiter.expectation, CSVDelimiter.init(typed:)) { $0.typed },
    value("comment", \.comment, "one character, such as #", asciiCharacter) { String(UnicodeScalar($0)) },
    choice("quote", \.quotes),
    value("header-row", \.headerRow, "a whole number from 1", { count($0, from: 1) }) { String($0) },
    alias("skip-rows", \.headerRow, "a whole number from 0") { text in
      count(text, from: 0).map { $0.addingClamped(1) }
    },
    choice("unmerge", \.unmerge),
    choice("short-rows", \.shortRows),
    choice("headings", \.headings),
    headings("rename", \.renames, "a map of headings to fields"),
    headings("types", \.types, "a map of headings to types, which are \(ColumnType.description)"),
    skippedColumns,
    value("id-column", \.idColumn, "a heading", nonEmpty) { $0 },
    choice("new-ids", \.newIDs),
    flag("keep-spaces", \.keepsSpaces),
    value("null", \.nullText, "a text", { $0 }) { $0 },
    flag("decimal-comma", \.usesDecimalComma),
    value("date-format", \.dateOrder, DateOrder.expectation, DateOrder.init(pattern:)) { $0.rawValue },
    choice("percent", \.percent),
    value("currency", \.currency, CurrencySigns.expectation, CurrencySigns.init(rawValue:)) { $0.rawValue },
  ]

  // MARK: Kinds of options

  private static func value<Value>(
    _ name: String,
    _ path: Path<Value?>,
    _ expectation: String,
    _ parse: @escaping @Sendable (String) -> Value?,
    shown: @escaping @Sendable (Value) -> String
  ) -> Option {
    Option(name: name, expectation: expectation) { text, reading in
      guard let value = parse(text) else { return false }
      reading[keyPath: path] = value
      return true
    } shown: { reading in
      reading[keyPath: path].map { [shown($0)] } ?? []
    } complete: { reading, other in
      reading[keyPath: path] = reading[keyPath: path] ?? other[keyPath: path]
    }
  }

  private static func alias<Value>(
    _ name: String,
    _ path: Path<Value?>,
    _ expectation: String,
    _ parse: @escaping @Sendable (String) -> Value?
  ) -> Option {
    let set = value(name, path, expectation, parse) { _ in "" }.set
    return Option(name: name, expectation: expectation, set: set) { _ in
      []
    } complete: { _, _ in
    }
  }

  private static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String,
    _ path: Path<Value?>
  ) -> Option {
    let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
    return value(name, path, "one of \(names)", { Value(rawValue: $0) }) { $0.rawValue }
  }

  private static func flag(_ name: String, _ path: Path<Bool?>) -> Option {
    value(name, path, "true or false", { Bool($0) }) { String($0) }
  }

  private static func headings<Value>(
    _ name: String,
    _ path: Path<[HeadingOption<Value>]>,
    _ expectation: String
  ) -> Option {
    Option(name: name, expectation: expectation, takesSeveral: true) { text, reading in
      guard let list = HeadingOption<Value>.list(parsing: text) else { return false }
      reading[keyPath: path] += list
      return true
    } setHeading: { heading, text, reading in
      guard let value = Value(typed: text) else { return false }
      reading[keyPath: path].append(HeadingOption(heading: heading, value: value))
      return true
    } shown: { reading in
      reading[keyPath: path].map { "\($0.heading)=\($0.value.typed)" }
    } complete: { reading, other in
      // The last one for a heading wins.
      reading[keyPath: path] = other[keyPath: path] + reading[keyPath: path]
    }
  }

  private static let skippedColumns = Option(
    name: "skip-columns",
    expectation: "numbers from 1, as [3, 7]",
    takesSeveral: true
  ) { text, reading in
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { count($0, from: 1) }
    reading.skippedColumns.formUnion(numbers.compactMap { $0 })
    return !numbers.contains(nil)
  } shown: { reading in
    reading.skippedColumns.sorted().map(String.init)
  } complete: { reading, other in
    if reading.skippedColumns.isEmpty { reading.skippedColumns = other.skippedColumns }
  }

  // MARK: Texts

  private static func count(_ text: some StringProtocol, from least: Int) -> Int? {
    Int(text).flatMap { $0 >= least ? $0 : nil }
  }

  private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

  /// Parses a printable ASCII character; nil for any other text.
  package static func asciiCharacter(_ text: String) -> UInt8? {
    guard text.utf8.count == 1, let byte = text.utf8.first, (0x21..<0x7F).contains(byte) else { return nil }
    return byte
  }
}

extension DateOrder {
  package static let expectation = "dd/MM/yyyy, MM/dd/yyyy or yyyy/MM/dd, also with - or . for /"
}

extension CurrencySigns {
  package static let expectation = "signs of currencies with commas between them, such as $ or €,EUR"
}
