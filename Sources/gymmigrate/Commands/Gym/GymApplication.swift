import GymMigrations
import GymModels
import GymReports
import GymServices
import Integrity
import MigrationEngine
import Mirror
import Schema
import Transfer

/// The gym: its schema, its environments, and its extensions.
enum GymApplication: Application {
  typealias ExportOptions = GymExportOptions
  typealias MigrationOptions = GymMigrationOptions
  typealias ConfigurationOptions = GymConfigurationOptions

  static let name = GymSchema.name
  static var schema: DatabaseSchema { GymSchema.schema }
  static var schemaText: String { GymSchema.yaml }
  static var environments: String { GymSchema.configuration }
  static var sampleConfiguration: String { GymSchema.sampleConfiguration }
  static var rules: any ApplicationRules { GymRules() }
  static var restoration: any RestorationRules { GroupRestoration() }
  static var views: [MirrorPull.View] { GymViews.all }
  static var byNameOnly: [any Migration] { MigrationCatalogue.byNameOnly }
  static var folder: [any Migration] { MigrationCatalogue.folder }
  static var reviewColumns: [String] { ReviewFile.proposed }

  static let commands = CommandSet(
    title: "The gym",
    commands: [
      SetupCommand.self, EmailCommand.self, GroupsCommand.self, ClassesCommand.self, ReportCommand.self,
    ],
    jobs: [
      GroupsJob.self, SeriesJob.self, CancelSeriesJob.self, CancelClassesJob.self, SetupJob.self,
      EmailJob.self,
    ]
  )

  static func migrations(_ options: [String: String]) throws(Failure) -> [any Migration] {
    MigrationCatalogue.all(settings: try GymMigrationOptions.settings(options))
  }

  static func addition(to job: ExportJob, of schema: DatabaseSchema) throws(Failure) -> ExportAddition {
    try GymExportOptions.addition(to: job, of: schema)
  }
}

extension DatabaseSchema {
  /// Refuses a command for the gym's own collections if the data are not the gym's.
  ///
  /// - Throws: `.usage`.
  func assertGym(_ command: String) throws(Failure) {
    if name.isIdentical(to: GymSchema.name) { return }
    throw Failure(
      .usage,
      "run \(command)",
      cause: "it is about the gym's collections, and the schema in use is '\(name)'",
      remedy: "Give --schema \(GymSchema.name) if the data are."
    )
  }
}
