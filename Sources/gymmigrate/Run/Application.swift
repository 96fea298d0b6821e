import Integrity
import MigrationEngine
import Mirror
import Schema
import Transfer

/// A built-in application, which extends a program that by itself is independent of any data.
///
/// `RegisteredApplication` names the registered one. Commands access it as ``Invocation/application``, or as
/// ``Invocation/application(of:)`` if the data must be its own.
protocol Application: Sendable {
  associatedtype ExportOptions: ExportAdditions
  associatedtype MigrationOptions: MigrationAdditions
  associatedtype ConfigurationOptions: ConfigurationAdditions

  /// The name of its schema, for `schema:` and `--schema`.
  static var name: String { get }
  static var schema: DatabaseSchema { get }
  /// The text of its schema, which can serve as a template.
  static var schemaText: String { get }
  /// The configuration that applies if there is no configuration file.
  static var environments: String { get }
  /// A commented configuration to start from.
  static var sampleConfiguration: String { get }
  /// The rules of `check` beyond the schema.
  static var rules: any ApplicationRules { get }
  /// The rules for documents that an undo restores together.
  static var restoration: any RestorationRules { get }
  /// The views of its mirrors.
  static var views: [MirrorPull.View] { get }
  /// The migrations that are only applied by name.
  static var byNameOnly: [any Migration] { get }
  /// The migrations of `migrate up` without a folder, in order.
  static var folder: [any Migration] { get }
  /// The fields for which reviews make proposals, each a column of `review.csv`.
  static var reviewColumns: [String] { get }
  static var commands: CommandSet { get }

  /// Returns the migrations of `--all`, in order.
  ///
  /// - Parameter options: As ``MigrationAdditions/values``.
  static func migrations(_ options: [String: String]) throws(Failure) -> [any Migration]

  /// Returns what its options add to an export.
  ///
  /// - Throws: `.usage` if the data are not the application's.
  static func addition(to job: ExportJob, of schema: DatabaseSchema) throws(Failure) -> ExportAddition
}

extension Application {
  /// Returns all built-in migrations, with the settings that change the least.
  static func comingAlong() throws(Failure) -> [any Migration] { try migrations([:]) + byNameOnly }
}

/// Completes the options of an export.
typealias ExportAddition = @Sendable (inout Export.Options) -> Void

/// Options that an application adds to `export`.
protocol ExportAdditions: ParsableArguments {
  /// The given values by option name, as stored in records.
  var values: [String: String] { get }
  /// Refuses values that are incompatible with the rest of an export.
  func validate(_ job: ExportJob) throws
}

/// Options that an application adds to the commands that choose migrations.
protocol MigrationAdditions: ParsableArguments {
  /// As ``ExportAdditions/values``.
  var values: [String: String] { get }
  func validate(_ choice: MigrationChoice) throws
  /// Returns the files that the values of a record name.
  static func files(_ values: [String: String]) -> [String]
}

/// Options that let `env init` write the sample configuration of an application.
protocol ConfigurationAdditions: ParsableArguments {
  var isChosen: Bool { get }
}

/// Related commands, and the jobs that records may contain for them.
struct CommandSet: Sendable {
  /// The purpose of the commands, as shown in the overview.
  var title: String
  var commands: [any ParsableCommand.Type]
  var jobs: [any Job.Type] = []
}
