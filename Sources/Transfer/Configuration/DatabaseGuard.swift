import FirestoreModels

extension Configuration {
  /// The environment with its guard, so that no option leads around one.
  ///
  /// One that may reach the database of a protected environment, of this configuration or of another one that was found, is
  /// that environment: project and database id tell, whatever the spelling of the endpoint. One whose database is called as if it
  /// were in production, and that no environment of the configuration names, is protected under the database's full
  /// name: options or variables lead there, and the configuration does not say that it needs no guard. Emulators, and what
  /// plain HTTP reaches on this machine, hold no production data.
  ///
  /// - Parameters:
  ///   - isEmulator: Whether FIRESTORE_EMULATOR_HOST leads there.
  ///   - others: Configurations that were found, too; only what they protect counts.
  package func guarded(
    _ environment: DatabaseEnvironment,
    isEmulator: Bool,
    besides others: [Configuration] = []
  ) -> DatabaseEnvironment {
    if environment.isProtected || environment.isLocal { return environment }
    var environment = environment
    for configuration in [self] + others {
      let same = configuration.environments.first {
        $0.isProtected && $0.mayBeReached(by: environment, isEmulator: isEmulator)
      }
      guard let same else { continue }
      environment.name = same.name
      environment.isProtected = true
      environment.protectedBy = configuration.file == file ? nil : configuration.file
      return environment
    }
    if environment.database.isCalledProduction, !isEmulator, !environment.isPlainAndHere,
      !names(environment.database)
    {
      environment.name = environment.database.description
      environment.isProtected = true
    }
    return environment
  }

  /// Whether an environment names a database, wherever its service is; one of an emulator on this machine does not name
  /// the real database of the same name.
  private func names(_ database: DatabaseName) -> Bool {
    environments.contains { $0.database == database && !$0.isLocal && !$0.isPlainAndHere }
  }
}

extension DatabaseEnvironment {
  /// Whether it is protected by what its database is called, and by no environment of the configuration.
  package var isProtectedByName: Bool { isProtected && name.isIdentical(to: database.description) }

  /// Whether requests to another environment may come to this one's database.
  ///
  /// Many addresses lead to one database (proxies, tunnels, names), so that another address is no proof of another one.
  /// Only an emulator has data of its own.
  fileprivate func mayBeReached(by other: DatabaseEnvironment, isEmulator: Bool) -> Bool {
    guard database == other.database, isLocal == other.isLocal else { return false }
    if isSameDatabase(as: other) || !(isEmulator || other.isPlainAndHere) { return true }
    // This machine has other names than those that are known.
    return !isRealService && address.port == other.address.port
  }

  /// Whether requests go to this machine over plain HTTP, as to an emulator.
  fileprivate var isPlainAndHere: Bool {
    isOnThisMachine && effectiveEndpoint.lowercased().hasPrefix("http://")
  }
}

extension DatabaseName {
  /// Whether the database's id says that it is in production: it is `(default)`, the one that every project begins with,
  /// or one of its words between hyphens is `prod`, `production` or `live`, whatever their case.
  package var isCalledProduction: Bool {
    let id = database.lowercased()
    let words = id.utf8.split(separator: UInt8(ascii: "-")).map { String(Substring($0)) }
    return id == "(default)" || words.contains { ["prod", "production", "live"].contains($0) }
  }
}
