import MigrationEngine
import Tables
import Transfer

// Values of the library that are typed on the command line by their raw text.

extension DiffFormat: ExpressibleByArgument {}
extension HeadingStyle: ExpressibleByArgument {}
extension TextEncoding: ExpressibleByArgument {}
extension CSVOptions.Delimiter {
  /// - Throws: `ValidationError` that says what is expected.
  init(typed text: String) throws {
    let named: [String: Self] = [
      "comma": .comma, "semicolon": .semicolon, "tab": .tab, "pipe": .pipe, "\\t": .tab,
    ]
    guard let found = named[text] ?? Self(rawValue: text) else {
      throw ValidationError("give comma, semicolon, tab, pipe, or one other character.")
    }
    self = found
  }
}
extension InputFormat: ExpressibleByArgument {}
extension LogFormat {
  /// - Throws: `ValidationError` that says what is expected; the parser says it of options that its help shows.
  init(typed text: String) throws {
    guard let format = Self(rawValue: text) else { throw ValidationError("give text or json.") }
    self = format
  }
}
extension ParseErrorPolicy: ExpressibleByArgument {}
extension SchemaPolicy: ExpressibleByArgument {}
extension TableOptions.NewIDs: ExpressibleByArgument {}
extension TableOptions.ShortRows: ExpressibleByArgument {}
extension TableOptions.Quotes: ExpressibleByArgument {}
extension WriteMode: ExpressibleByArgument {}
extension DuplicatePolicy: ExpressibleByArgument {}
extension MigrationStep.FailurePolicy: ExpressibleByArgument {}
extension ValueConversion.TimeUnit: ExpressibleByArgument {}
