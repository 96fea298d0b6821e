import Configuration

/// A setting, its value, and the origin of the value: an option, a variable, the file, or built in.
struct SettingOrigin {
  var name: String
  var value: String
  var origin: String

  /// Returns every setting as the running command has it; for those that it lacks, as other commands would have it.
  ///
  /// - Throws: ``Failure`` if the configuration cannot be read.
  static func all(
    _ environment: DatabaseEnvironment,
    _ resolver: EnvironmentResolver,
    signer: String
  ) throws(Failure) -> [SettingOrigin] {
    let (arguments, variables) = (Invocation.current.arguments, Invocation.current.variables)
    return try Setting.all.map { setting throws(Failure) in
      let name = setting.option
      let own = try own(name, environment, resolver, signer)
      if let addition = arguments.additions.first(where: { $0.option == name }) {
        let value = own?.value ?? setting.shown(addition.value)
        return SettingOrigin(name: name, value: value, origin: "variable \(addition.variable)")
      }
      if let typed = arguments.given[name] {
        return SettingOrigin(
          name: name,
          value: own?.value ?? setting.shown(typed),
          origin: "option --\(name)"
        )
      }
      if let own { return own }
      if !arguments.known.contains(name), let value = variables[setting.variable] {
        return SettingOrigin(name: name, value: setting.shown(value), origin: "variable \(setting.variable)")
      }
      return SettingOrigin(name: name, value: setting.standard, origin: "built in")
    }
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    json.member("origin", origin)
    json.member("value", value)
  }

  /// Returns an environment's value of a setting, and its origin unless that is an option or a GYMMIGRATE_ variable; nil for a
  /// setting that environments do not have.
  private static func own(
    _ option: String,
    _ environment: DatabaseEnvironment,
    _ resolver: EnvironmentResolver,
    _ signer: String
  ) throws(Failure) -> SettingOrigin? {
    let configuration = try resolver.configuration()
    // An environment protected because of its database's name, or by another configuration, has a different name from the one by
    // which it was chosen.
    var known = configuration.environments.first { $0.name.isIdentical(to: environment.name) }
    if environment.isProtectedByName || environment.protectedBy != nil { known = try resolver.named() }
    let file = configuration.file.map { "file \($0)" } ?? "built in"
    let (value, origin): (String, String)
    switch option {
    case "env": (value, origin) = (environment.name, "built in")
    case "project":
      value = environment.database.project
      origin = known == nil ? "variable GOOGLE_CLOUD_PROJECT" : file
    case "database":
      (value, origin) = (environment.database.database, known == nil ? "built in" : file)
    case "endpoint":
      value = environment.server
      let isBuiltIn = environment.isEmbedded || environment.endpoint == nil
      origin = isBuiltIn ? "built in" : known?.endpoint == nil ? "variable FIRESTORE_EMULATOR_HOST" : file
    case "credentials": (value, origin) = (signer, known?.credentials == nil ? "found" : file)
    case "impersonate-service-account":
      value = environment.impersonated?.description ?? "-"
      origin = known?.impersonated == nil ? "built in" : file
    case "schema":
      let isBuiltIn = configuration.schema == nil || !resolver.isConfigured
      (value, origin) = (try resolver.schemaText(), isBuiltIn ? "built in" : file)
    case "config":
      (value, origin) = (configuration.file ?? "-", configuration.file == nil ? "built in" : "found")
    default: return nil
    }
    return SettingOrigin(name: option, value: value, origin: origin)
  }
}
