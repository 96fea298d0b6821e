import Configuration
import FirestoreModels

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A setting, its value, and where that is from: an option, a variable, the file, or built in.
struct SettingOrigin {
  var name: String
  var value: String
  var origin: String

  /// Every setting, as the command that is running has them, and as others would have those that it does not know.
  ///
  /// The defaults of what the configuration file cannot set are those of the parser.
  ///
  /// - Throws: ``Failure`` where the configuration cannot be read.
  static func all(
    _ environment: DatabaseEnvironment,
    _ resolver: EnvironmentResolver,
    signer: String,
    variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Failure) -> [SettingOrigin] {
    let arguments = Invocation.current.arguments
    let tree = try CommandTree.whole()
    let words = CompletedArguments.typed(arguments.words, by: tree)
    let known = Set(tree.command(of: arguments.words).command.options.map(\.name))
    return try Setting.all.map { setting throws(Failure) in
      let own = try own(setting.option, environment, resolver, signer)
      if let addition = arguments.additions.first(where: { $0.option == setting.option }) {
        return SettingOrigin(
          name: setting.option,
          value: own?.value ?? addition.value,
          origin: "variable \(addition.variable)"
        )
      }
      if let typed = words[setting.option] {
        return SettingOrigin(
          name: setting.option,
          value: own?.value ?? typed,
          origin: "option --\(setting.option)"
        )
      }
      if let own { return own }
      if !known.contains(setting.option), let value = variables[setting.variable], !value.isEmpty {
        return SettingOrigin(name: setting.option, value: value, origin: "variable \(setting.variable)")
      }
      let value = tree.option(named: setting.option)?.defaultValue
      return SettingOrigin(name: setting.option, value: value ?? "-", origin: "built in")
    }
  }

  func writeMembers(to json: inout JSONWriter) {
    json.key("name")
    json.string(name)
    json.key("origin")
    json.string(origin)
    json.key("value")
    json.string(value)
  }

  /// What an environment says of a setting, and where that is from if neither an option nor a GYMMIGRATE_ variable
  /// says so; nil for a setting that environments do not have.
  private static func own(
    _ option: String,
    _ environment: DatabaseEnvironment,
    _ resolver: EnvironmentResolver,
    _ signer: String
  ) throws(Failure) -> SettingOrigin? {
    let configuration = try resolver.configuration()
    // One that is protected by what its database is called, or by another configuration, has another name than it was
    // chosen by.
    var known = configuration.environments.first { $0.name.isIdentical(to: environment.name) }
    if environment.isProtectedByName || environment.protectedBy != nil { known = try resolver.named() }
    let file = configuration.file.map { "file \($0)" } ?? "built in"
    func setting(_ value: String, _ origin: String) -> SettingOrigin {
      SettingOrigin(name: option, value: value, origin: origin)
    }
    switch option {
    case "env": return setting(environment.name, "built in")
    case "project":
      return setting(environment.database.project, known == nil ? "variable GOOGLE_CLOUD_PROJECT" : file)
    case "database": return setting(environment.database.database, known == nil ? "built in" : file)
    case "endpoint":
      if environment.isEmbedded { return setting("embedded", "built in") }
      let origin =
        environment.endpoint == nil
        ? "built in" : known?.endpoint == nil ? "variable FIRESTORE_EMULATOR_HOST" : file
      return setting(environment.effectiveEndpoint, origin)
    case "credentials":
      return setting(signer, known?.credentials == nil ? "found" : file)
    case "impersonate-service-account":
      return setting(
        environment.impersonated?.description ?? "-",
        known?.impersonated == nil ? "built in" : file
      )
    case "schema":
      return setting(try resolver.schemaText(), configuration.schema == nil ? "built in" : file)
    case "config": return setting(configuration.file ?? "-", configuration.file == nil ? "built in" : "found")
    default: return nil
    }
  }
}

extension CompletedArguments {
  /// The values of the long options in words, and those of `-e`.
  static func typed(_ words: [String], by tree: CommandTree) -> [String: String] {
    let (command, count) = tree.command(of: words)
    var typed: [String: String] = [:]
    var index = count
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" { break }
      guard let option = command.options.first(where: { $0.isNamed(by: word) }) else { continue }
      if let equals = word.firstIndex(of: "="), word.hasPrefix("--") {
        typed[option.name] = String(word[word.index(after: equals)...])
      } else if !option.takesValue {
        typed[option.name] = "true"
      } else if !word.hasPrefix("--"), word.count > 2 {
        typed[option.name] = String(word.dropFirst(2))
      } else if index < words.count {
        typed[option.name] = words[index]
        index += 1
      }
    }
    return typed
  }
}

extension CommandTree.Option {
  /// Whether a word of the command line is this option, by its name or its letter.
  func isNamed(by word: String) -> Bool {
    if word.hasPrefix("--") { return word.dropFirst(2).prefix { $0 != "=" } == name }
    guard word.hasPrefix("-"), let letter = word.dropFirst().first else { return false }
    return letters.contains(letter)
  }
}
