import Configuration
import Platform
import Schema
import YAML

/// Finds the configuration file, and the schema that it or an option names.
struct ConfigurationResolver {
  private let options: ConfigurationChoice
  /// Whether the database is from the configuration, so that the configured schema applies to it.
  private let isConfigured: Bool
  private let invocation = Invocation.current

  init(_ options: ConfigurationChoice, isConfigured: Bool = true) {
    self.options = options
    self.isConfigured = isConfigured
  }

  init(_ options: ConfigurationOptions) { self.init(options.choice) }

  /// The configuration: `--config`, or else `gymmigrate.yaml` here, or else in the user's configuration folder, or else the
  /// built-in one.
  func configuration() throws(Failure) -> Configuration {
    if let file = options.config, try invocation.configurations.read(file) == nil {
      throw Failure(.configuration, ConfigurationFiles.operation, path: file, cause: "there is no such file")
    }
    for file in files {
      if let found = try invocation.configurations.read(file) { return found }
    }
    return try invocation.builtInConfiguration()
  }

  /// Where configurations are looked for; the first existing file is used.
  private var files: [String] {
    let home = invocation.variables["HOME"] ?? Self.homeOfUser
    // A path that is not absolute is invalid (XDG Base Directory Specification).
    let folder =
      invocation.variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.config" }
    return [options.config, "gymmigrate.yaml", folder.map { "\($0)/gymmigrate/gymmigrate.yaml" }].compactMap {
      $0
    }
  }

  /// The user's home folder according to the system, for a process without HOME.
  private static var homeOfUser: String? {
    getpwuid(geteuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }.flatMap {
      $0.isEmpty ? nil : $0
    }
  }

  /// Returns the existing configurations besides the one in use, because what they protect stays protected.
  func others(than used: Configuration) throws(Failure) -> [Configuration] {
    var others: [Configuration] = []
    for file in files where !file.isIdentical(to: used.file ?? "") {
      do throws(Failure) {
        if let found = try invocation.configurations.read(file) { others.append(found) }
      } catch {
        let remedy = "Correct it: its protections apply, too, though \(used.file ?? "another") is used."
        throw error.advising(remedy)
      }
    }
    return others
  }

  // MARK: The schema

  /// Returns the schema choice: that of `--schema`, or else, for a database from the configuration, the configured one; otherwise
  /// none.
  ///
  /// - Throws: `.usage` for a word that is neither a file nor a name.
  func schemaChoice() throws(Failure) -> SchemaChoice {
    guard let text = options.schema else {
      return try isConfigured ? configuration().schema ?? .none : .none
    }
    if let choice = SchemaChoice(text, builtIn: invocation.schemas) { return choice }
    throw Failure(
      .usage,
      "use the schema",
      path: text,
      cause: "it is not \(SchemaChoice.expected(invocation.schemas))"
    )
  }

  /// Returns the schema of the data.
  ///
  /// - Throws: `.configuration` with the line and column of an error in its file.
  func schema() throws(Failure) -> DatabaseSchema {
    switch try schemaChoice() {
    case .none: return .none
    case .builtIn: return invocation.application?.schema ?? .none
    case .file(let path): return try invocation.configurations.schema(path)
    }
  }

  /// Returns the text of a schema; if it has a file, including comments.
  func schemaText(of schema: DatabaseSchema) throws(Failure) -> String {
    guard let file = try schemaFile() else {
      return invocation.application(of: schema)?.schemaText ?? SchemaWriter.yaml(schema)
    }
    return try YAMLFile(file, kind: .configuration, operation: "read the schema").text()
  }

  /// Returns the schema's file; nil if it is built in or there is none.
  private func schemaFile() throws(Failure) -> String? {
    if case .file(let path) = try schemaChoice() { return path }
    return nil
  }
}
