import MigrationEngine
import Tables
import Transfer

// Values of the library that are typed on the command line by their raw text.

extension DiffFormat: ExpressibleByArgument {}
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
