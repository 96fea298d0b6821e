import MigrationEngine
import Schema
import Tables
import Transfer

// Values that are typed as their raw text.

extension DiffFormat: ExpressibleByArgument {}
extension HeadingStyle: ExpressibleByArgument {}
extension RehearsalStore: ExpressibleByArgument {}
extension TextEncoding: ExpressibleByArgument {
  package init?(argument: String) { self.init(named: argument) }
}
extension CSVDelimiter {
  /// - Throws: `ValidationError` that says what is expected.
  init(argument text: String) throws {
    self = try Self(typed: text).orExpecting(Self.expectation)
  }

  /// Parses the delimiter of a table to be written.
  ///
  /// - Throws: `ValidationError` for a delimiter that occurs in unquoted cells, with which the table could not be read back.
  init(writing text: String) throws {
    try self.init(argument: text)
    if isWithinCells {
      throw ValidationError(
        "numbers, times or the heading __name__ have '\(text)'; give another, as semicolon."
      )
    }
  }
}
extension CurrencySigns {
  /// - Throws: `ValidationError` that says what is expected.
  init(argument text: String) throws {
    self = try Self(rawValue: text).orExpecting(Self.expectation)
  }
}
extension InputFormat: ExpressibleByArgument {}
extension JSONForm: ExpressibleByArgument {}
extension LogFormat {
  /// - Throws: `ValidationError` that says what is expected; for options shown in help, the parser says it.
  init(typed text: String) throws {
    self = try Self(rawValue: text).orExpecting("text or json")
  }
}
extension ParseErrorPolicy: ExpressibleByArgument {}
extension SchemaPolicy: ExpressibleByArgument {}
extension TableReading.NewIDs: ExpressibleByArgument {}
extension TableReading.ShortRows: ExpressibleByArgument {}
extension TableReading.Quotes: ExpressibleByArgument {}
extension TableReading.Percent: ExpressibleByArgument {}
extension TableReading.Unmerge: ExpressibleByArgument {}
extension WriteMode: ExpressibleByArgument {}
extension DuplicatePolicy: ExpressibleByArgument {}
extension MigrationStep.FailurePolicy: ExpressibleByArgument {}
extension ProgramCall.Style: ExpressibleByArgument {}
extension ValueConversion.TimeUnit: ExpressibleByArgument {}
