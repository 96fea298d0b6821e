extension Configuration {
  /// Returns the environment with the protection and the limits that apply to it, so that no option bypasses them.
  ///
  /// An environment that may reach the database of a protected environment, in this or another configuration, is treated as
  /// that environment. The project and database IDs decide, not the spelling of the endpoint. An environment whose database
  /// has a production name, and that the configuration does not define, is protected under the full name of the database:
  /// it came from options or variables, and the configuration does not exempt it. Emulators, and servers on this machine
  /// over plain HTTP, hold no production data.
  ///
  /// - Parameters:
  ///   - isEmulator: Whether the environment comes from FIRESTORE_EMULATOR_HOST.
  ///   - others: Other configurations; only their protected environments matter.
  package func guarded(
    _ environment: DatabaseEnvironment,
    isEmulator: Bool,
    besides others: [Configuration] = []
  ) -> DatabaseEnvironment {
    var environment = environment
    // The data in a mirror or an export has already left.
    if !environment.isEmbedded, !environment.leavesMasked {
      environment.leavesMasked = ([self] + others).flatMap(\.environments).contains {
        $0.leavesMasked && $0.mayBeReached(by: environment, isEmulator: isEmulator)
      }
    }
    environment.limits = limits(of: environment, isEmulator: isEmulator)
    if environment.isProtected || environment.isLocal { return environment }
    for configuration in [self] + others {
      let same = configuration.environments.first {
        $0.isProtected && $0.mayBeReached(by: environment, isEmulator: isEmulator)
      }
      guard let same else { continue }
      environment.name = same.name
      environment.isProtected = true
      let isInUse = UTF8Key(configuration.file ?? "") == UTF8Key(file ?? "")
      environment.protectedBy = isInUse ? nil : configuration.file
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

  /// Returns what runs may be billed: no more than is allowed by any environment whose database may be reached.
  private func limits(of environment: DatabaseEnvironment, isEmulator: Bool) -> BillLimits? {
    if environment.isEmbedded { return environment.limits }
    return environments.reduce(environment.limits) { limits, other in
      guard let own = other.limits, other.mayBeReached(by: environment, isEmulator: isEmulator) else {
        return limits
      }
      return limits?.tightened(by: own) ?? own
    }
  }

  /// Returns the names of the environments whose database may be reached; the environment's own name if there are none.
  ///
  /// Options may have redirected an environment to another database than the one with its name.
  ///
  /// - Parameter isEmulator: Whether the environment comes from FIRESTORE_EMULATOR_HOST.
  package func names(of environment: DatabaseEnvironment, isEmulator: Bool) -> DatabaseNames {
    if environment.isEmbedded { return DatabaseNames(environment.name) }
    let same = environments.filter { $0.mayBeReached(by: environment, isEmulator: isEmulator) }.map(\.name)
    let own = same.first { $0.isIdentical(to: environment.name) }
    return DatabaseNames(own ?? same.first ?? environment.name, others: same)
  }

  /// Whether an environment defines a database on any service.
  ///
  /// An emulator on this machine does not define the real database of the same name.
  private func names(_ database: DatabaseName) -> Bool {
    environments.contains { $0.database == database && !$0.isLocal && !$0.isPlainAndHere }
  }
}

extension DatabaseEnvironment {
  /// Whether it is protected only because of the name of its database.
  package var isProtectedByName: Bool { isProtected && name.isIdentical(to: database.description) }

  /// Whether requests to another environment may reach this one's database.
  ///
  /// Many addresses reach the same database (proxies, tunnels, aliases), so a different address proves nothing. Only an
  /// emulator has separate data.
  fileprivate func mayBeReached(by other: DatabaseEnvironment, isEmulator: Bool) -> Bool {
    guard database == other.database, isLocal == other.isLocal else { return false }
    if isSameDatabase(as: other) || !(isEmulator || other.isPlainAndHere) { return true }
    // This machine may have names that are not in the list.
    return !isRealService && address.port == other.address.port
  }

  /// Whether requests go to this machine over plain HTTP, as to an emulator.
  fileprivate var isPlainAndHere: Bool {
    isOnThisMachine && effectiveEndpoint.lowercased().hasPrefix("http://")
  }
}

extension DatabaseName {
  /// Whether the database ID looks like production.
  ///
  /// That is the case for `(default)`, which every project starts with, and for an ID with the word `prod`, `production` or
  /// `live` between hyphens, ignoring case.
  package var isCalledProduction: Bool {
    let id = database.lowercased()
    let words = id.utf8.split(separator: UInt8(ascii: "-")).map { String(Substring($0)) }
    return id == "(default)" || words.contains { ["prod", "production", "live"].contains($0) }
  }
}
