import Integrity
import MigrationEngine
import Mirror
import Schema
import Transfer

/// An application that comes along: what it adds to a program that knows no data of its own.
///
/// `RegisteredApplication` names the one that is registered. Commands find it as ``Invocation/application``, and ask whether
/// the data are its own: ``Invocation/application(of:)``.
protocol Application: Sendable {
  associatedtype ExportOptions: ExportAdditions
  associatedtype MigrationOptions: MigrationAdditions
  associatedtype ConfigurationOptions: ConfigurationAdditions

  /// The name of its schema, for `schema:` and `--schema`.
  static var name: String { get }
  static var schema: DatabaseSchema { get }
  /// The schema's text, which one of one's own can be made from.
  static var schemaText: String { get }
  /// The configuration of those who have no file.
  static var environments: String { get }
  /// A commented configuration to begin with.
  static var sampleConfiguration: String { get }
  /// The rules of `check` beyond the schema.
  static var rules: any ApplicationRules { get }
  /// What it asks of documents that an undo puts back together.
  static var restoration: any RestorationRules { get }
  /// The views of a mirror.
  static var views: [MirrorPull.View] { get }
  /// The migrations that are applied by name only.
  static var byNameOnly: [any Migration] { get }
  /// The migrations of `migrate up` where there is no folder, in their order.
  static var folder: [any Migration] { get }
  /// The fields that reviews make proposals for, a column of `review.csv` each.
  static var reviewColumns: [String] { get }
  static var commands: CommandSet { get }

  /// The migrations of `--all`, in their order.
  ///
  /// - Parameter options: As ``MigrationAdditions/values``.
  static func migrations(_ options: [String: String]) throws(Failure) -> [any Migration]

  /// What its options add to an export.
  ///
  /// - Throws: `.usage` where the data are not the application's.
  static func addition(to job: ExportJob, of schema: DatabaseSchema) throws(Failure) -> ExportAddition
}

extension Application {
  /// Every migration that comes along, with the settings that change least.
  static func comingAlong() throws(Failure) -> [any Migration] { try migrations([:]) + byNameOnly }
}

/// Completes the options of an export.
typealias ExportAddition = @Sendable (inout Export.Options) -> Void

/// Options that an application adds to `export`.
protocol ExportAdditions: ParsableArguments {
  /// What is given, as records keep it: values by names of options.
  var values: [String: String] { get }
  /// Refuses what does not go together with the rest of an export.
  func validate(_ job: ExportJob) throws
}

/// Options that an application adds to the commands that choose migrations.
protocol MigrationAdditions: ParsableArguments {
  /// As ``ExportAdditions/values``.
  var values: [String: String] { get }
  func validate(_ choice: MigrationChoice) throws
}

/// Options by which `env init` writes the sample configuration of an application.
protocol ConfigurationAdditions: ParsableArguments {
  var isChosen: Bool { get }
}

/// Commands that belong together, so that a reader can skip all of them, and the jobs that records may hold of them.
struct CommandSet: Sendable {
  /// What people want to do with them, as the overview says it.
  var title: String
  var commands: [any ParsableCommand.Type]
  var jobs: [any Job.Type] = []
}
