import Configuration
import FirestoreModels
import GymMigrations
import GymModels
import GymReports
import GymServices
import Integrity
import MigrationEngine
import Mirror
import Schema

/// What comes along for a known application: a schema, environments, rules and migrations.
///
/// The command line asks here and nowhere else, so that a schema of one's own has nothing of it.
enum BuiltInSchema {
  /// The names that `schema:` and `--schema` take.
  static let names = [GymSchema.name]
  /// The one that holds where nothing is said.
  static let standard = SchemaChoice.builtIn(GymSchema.name)

  /// The schema of a name in ``names``; nil for any other.
  static func schema(named name: String) -> DatabaseSchema? {
    name.isIdentical(to: GymSchema.name) ? GymSchema.schema : nil
  }

  /// The text of a schema that is built in; nil for any other.
  static func yaml(of schema: DatabaseSchema) -> String? {
    schema.name.isIdentical(to: GymSchema.name) ? GymSchema.yaml : nil
  }

  /// The configuration of those who have no file.
  static func configuration() throws(Failure) -> Configuration {
    try Configuration.builtIn(GymSchema.configuration, schemas: names)
  }

  /// A commented configuration to begin with.
  static var sampleConfiguration: String { GymSchema.sampleConfiguration }

  /// The rules of the application beyond its schema; nil where there are none.
  static func rules(for schema: DatabaseSchema) -> (any ApplicationRules)? {
    isGym(schema) ? GymRules() : nil
  }

  /// What the application asks of documents that an undo puts back together; nil where there is nothing.
  static func restoration(for schema: DatabaseSchema) -> (any RestorationRules)? {
    isGym(schema) ? GroupRestoration() : nil
  }

  /// The migrations of `--all`, in their order.
  static func migrations(
    for schema: DatabaseSchema,
    _ settings: MigrationCatalogue.Settings = .init()
  ) -> [any Migration] {
    isGym(schema) ? MigrationCatalogue.all(settings: settings) : []
  }

  /// The migrations that are applied by name only.
  static func byNameOnly(for schema: DatabaseSchema) -> [any Migration] {
    isGym(schema) ? MigrationCatalogue.byNameOnly : []
  }

  /// The views of a mirror.
  static func views(for schema: DatabaseSchema) -> [MirrorPull.View] {
    isGym(schema) ? GymViews.all.map { MirrorPull.View(name: $0.name, query: $0.query) } : []
  }

  private static func isGym(_ schema: DatabaseSchema) -> Bool { schema.name.isIdentical(to: GymSchema.name) }
}
