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
extension InputFormat: ExpressibleByArgument {}
extension JSONForm: ExpressibleByArgument {}
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
