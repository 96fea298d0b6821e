import MigrationEngine
import Tables
import Transfer

// Values of the library that are typed on the command line by their raw text.

extension DiffFormat: ExpressibleByArgument {}
extension HeadingStyle: ExpressibleByArgument {}
extension TextEncoding: ExpressibleByArgument {}
extension CSVOptions.Delimiter: ExpressibleByArgument {
  package init?(argument: String) {
    let named: [String: Self] = [
      "comma": .comma, "semicolon": .semicolon, "tab": .tab, "pipe": .pipe, "\\t": .tab,
    ]
    guard let found = named[argument] ?? Self(rawValue: argument) else { return nil }
    self = found
  }
}
extension InputFormat: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
extension ParseErrorPolicy: ExpressibleByArgument {}
extension SchemaPolicy: ExpressibleByArgument {}
extension TableOptions.NewIDs: ExpressibleByArgument {}
extension TableOptions.ShortRows: ExpressibleByArgument {}
extension WriteMode: ExpressibleByArgument {}
extension DuplicatePolicy: ExpressibleByArgument {}
extension MigrationStep.FailurePolicy: ExpressibleByArgument {}
extension ValueConversion.TimeUnit: ExpressibleByArgument {}
