package import Schema

/// The schema of the gym's data, which is compiled in: `gym.yaml`.
package enum GymSchema {
  /// The name that selects it: `schema: gym`.
  package static let name = "gym"

  /// The text of the file, which can serve as a template.
  package static var yaml: String { String(decoding: PackageResources.gym_yaml, as: UTF8.self) }

  /// The gym's environments if there is no configuration file: `gymmigrate.yaml`.
  package static var configuration: String {
    String(decoding: PackageResources.gymmigrate_yaml, as: UTF8.self)
  }

  /// A commented configuration to start from: `gymmigrate-sample.yaml`.
  package static var sampleConfiguration: String {
    String(decoding: PackageResources.gymmigrate_sample_yaml, as: UTF8.self)
  }

  package static let schema: DatabaseSchema = {
    do {
      return try SchemaReader.schema(parsing: yaml, path: "gym.yaml")
    } catch {
      preconditionFailure("the schema that is compiled in is malformed: \(error)")
    }
  }()
}
