package import Configuration
package import FirestoreREST

/// Checks a database through its service: token, clock, the database itself, and permission to read and write.
///
/// Nothing is changed: write permission is tested with an update whose precondition cannot hold.
package struct ServiceChecks: Sendable {
  let client: FirestoreClient
  private let environment: DatabaseEnvironment
  let prices: PriceList

  package init(
    client: FirestoreClient,
    environment: DatabaseEnvironment,
    prices: PriceList
  ) {
    self.client = client
    self.environment = environment
    self.prices = prices
  }

  /// Adds the results to a diagnosis; a problem skips the checks that depend on it.
  package func run(into diagnosis: inout Diagnosis) async {
    do throws(Failure) {
      _ = try await client.caller.credentials.authorization()
      diagnosis.ok("token", "a token is available")
    } catch {
      diagnosis.fail("token", error)
      return
    }
    await clock(into: &diagnosis)
    var known: DatabaseDescription?
    let isThere = await database(into: &diagnosis, &known)
    if let edition = known?.edition { self.edition(edition, into: &diagnosis) }
    var roots: [String] = []
    guard isThere, await reading(into: &diagnosis, &roots) else { return }
    await size(of: roots, in: known, into: &diagnosis)
    await writing(into: &diagnosis)
  }

  /// Warns if the edition has other prices than those in the configuration, which determine costs.
  private func edition(_ found: String, into diagnosis: inout Diagnosis) {
    guard prices.of(edition: found) != prices else { return }
    diagnosis.warn(
      "edition",
      "the database is of the \(found.lowercased()) edition, and the configuration does not say so",
      remedy:
        "Set 'edition: \(found.lowercased())' of the environment in gymmigrate.yaml, which decides on prices."
    )
  }

  // MARK: The clock

  /// The clock skew in seconds beyond which Google rejects a signature; half of it causes a warning.
  private static let toleratedSkew: Int64 = 300

  private func clock(into diagnosis: inout Diagnosis) async {
    let before = Timestamp.now.seconds
    let request = HTTPRequest(method: "GET", url: "\(client.endpoint)/", timeout: 15)
    guard let response = try? await client.caller.transport.send(request) else { return }
    let after = Timestamp.now.seconds
    guard let date = response.headers["date"].flatMap({ HTTPDate.seconds($0) }) else {
      diagnosis.ok("clock", "the service does not report its time")
      return
    }
    // The header has whole seconds, and was written between the two readings.
    let skew = before - 1 > date ? before - date : date > after + 1 ? after - date : 0
    let message = "this machine is \(abs(skew)) s \(skew > 0 ? "ahead of" : "behind") the service"
    let remedy = "Synchronize it by NTP: with a wrong clock, signatures of a service account are refused."
    if abs(skew) > Self.toleratedSkew {
      diagnosis.fail("clock", message, remedy: remedy, kind: .configuration)
    } else if abs(skew) > Self.toleratedSkew / 2 {
      diagnosis.warn("clock", message, remedy: remedy)
    } else {
      diagnosis.ok("clock", skew == 0 ? "it agrees with that of the service" : message)
    }
  }

  // MARK: The database

  /// Checks the database, and returns whether further checks make sense.
  private func database(into diagnosis: inout Diagnosis, _ known: inout DatabaseDescription?) async -> Bool {
    let name = client.database.description
    do throws(Failure) {
      let description = try await client.quickly.describeDatabase()
      known = description
      if let type = description.type, !type.isIdentical(to: "FIRESTORE_NATIVE") {
        diagnosis.fail(
          "database",
          "\(name) is of type \(type)",
          remedy: "Only a database in native mode has this interface: check the database id.",
          kind: .configuration
        )
        return false
      }
      diagnosis.ok("database", description.summary(of: name))
      if description.pointInTimeRecovery != nil {
        if description.hasRecovery {
          diagnosis.ok("recovery", "point-in-time recovery is on: the past can be read for seven days")
        } else {
          diagnosis.warn(
            "recovery",
            "point-in-time recovery is off: an export can read at one read time for an hour only",
            remedy: "Turn it on for databases that matter."
          )
        }
      }
      return true
    } catch {
      if error.kind == .notPermitted {
        diagnosis.warn(
          "database",
          "the signer may not read the description of \(name)",
          remedy: "roles/datastore.viewer has the right (datastore.databases.getMetadata)."
        )
        return true
      }
      let isUnrecorded = error.service.map {
        [.notFound, .unimplemented, .invalidArgument].contains($0.status)
      }
      if !environment.isRealService, isUnrecorded ?? false {
        diagnosis.ok("database", "this server does not describe \(name)")
        return true
      }
      // The description is only informative; reading shows whether the database exists.
      let isWrong: Set<FirestoreError.Status> = [
        .notFound, .unauthenticated, .failedPrecondition, .invalidArgument,
      ]
      if error.service.map({ !isWrong.contains($0.status) }) ?? (error.kind == .unavailable) {
        diagnosis.warn(
          "database",
          "the service does not describe \(name): \(error.cause)",
          remedy: "The next check shows whether it can be read."
        )
        return true
      }
      diagnosis.fail("database", error.explained(by: client.database))
      return false
    }
  }

  // MARK: Permissions

  /// A document that does not exist, in gymmigrate's own collection, which exports and copies leave out.
  private static let probe = DocumentPath(CollectionPath(nil, "_gymmigrate"), "doctor")

  private func reading(into diagnosis: inout Diagnosis, _ roots: inout [String]) async -> Bool {
    do throws(Failure) {
      _ = try await client.get(Self.probe)
      roots = try await client.collectionIDs().filter { !$0.hasPrefix(CollectionSelection.ownPrefix) }
      diagnosis.ok("reading", "allowed; at the root: \(NumberText.counted(roots.count, "collection"))")
      return true
    } catch {
      diagnosis.fail("reading", error.explained(by: client.database))
      return error.kind == .notPermitted
    }
  }

  private func writing(into diagnosis: inout Diagnosis) async {
    switch await client.updateThatCannotHold(Self.probe) {
    case .service(let error)? where [.failedPrecondition, .notFound, .aborted].contains(error.status):
      diagnosis.ok("writing", "allowed (tried with an update that cannot be applied)")
    case .service(let error)? where error.status == .permissionDenied:
      diagnosis.warn(
        "writing",
        "not allowed",
        remedy: "This is right for exports; imports and migrations need roles/datastore.user."
      )
    case let failure?:
      diagnosis.fail(
        "writing",
        failure.asFailure(operation: "try to write to", path: client.database.database)
      )
    case nil:
      diagnosis.fail(
        "writing",
        "the server confirmed an update whose precondition cannot hold",
        remedy: "Do not write through it: it does not check preconditions.",
        kind: .configuration
      )
    }
  }
}

extension FirestoreClient {
  /// Returns the prices for this database: those of a list, unless the service reports an edition with others.
  ///
  /// The prices are not essential, so this takes a few seconds at most.
  package func prices(_ list: PriceList) async -> PriceList {
    guard list == .nam5 else { return list }
    let known = try? await quickly.describeDatabase()
    return list.of(edition: known?.edition, location: known?.location)
  }

  /// Returns the edition of the database as the service names it; nil if it does not report one within seconds.
  package func edition() async -> String? { try? await quickly.describeDatabase().edition }

  /// Sends an update whose precondition cannot hold: an update time in the first second of 1970.
  ///
  /// Permissions are checked before preconditions, so the response shows whether writing is allowed.
  ///
  /// - Returns: The service's error; nil if it claims to have applied the update.
  func updateThatCannotHold(_ path: DocumentPath) async -> CallFailure? {
    let write = Write(
      path: path,
      operation: .update(fields: FieldMap(), mask: nil),
      precondition: Timestamp(seconds: 1).map { .updateTime($0) }
    )
    do throws(CallFailure) {
      _ = try await commitOnce([write.json(in: database)], timeout: 30)
      return nil
    } catch {
      return error
    }
  }
}
