package import FirestoreModels

/// One place that gymmigrate works on: a database behind an endpoint.
package struct DatabaseEnvironment: Sendable, Equatable {
  /// The name on the command line: `test`, `prod`, `local`.
  package var name: String
  /// The database.
  package var database: DatabaseName
  /// Scheme, host and port, without `/v1`; nil is the real service.
  package var endpoint: String?
  /// Whether a write wants `--confirm NAME`.
  package var isProtected: Bool
  /// A credentials file of its own.
  package var credentials: String?
  /// The configuration that protects it, where it is another one than the one in use.
  package var protectedBy: String?

  /// Makes an environment.
  package init(
    name: String,
    database: DatabaseName,
    endpoint: String? = nil,
    isProtected: Bool = false,
    credentials: String? = nil
  ) {
    self.name = name
    self.database = database
    self.endpoint = endpoint
    self.isProtected = isProtected
    self.credentials = credentials
  }

  /// The name of the environment that is the embedded store.
  package static let localName = "local"

  /// Whether it is the embedded store, started inside this process.
  package var isLocal: Bool { name == Self.localName && endpoint == nil }

  /// The endpoint of the real service.
  package static let productionEndpoint = "https://firestore.googleapis.com"

  /// Where requests go.
  package var effectiveEndpoint: String { endpoint ?? Self.productionEndpoint }

  /// Whether requests go to the real service, whose ramp is kept and whose data are somebody's.
  package var isRealService: Bool {
    !isLocal && (endpoint == nil || (endpoint?.lowercased().contains("googleapis.com") ?? false))
  }

  /// Whether two environments are one database, whatever they are called and however the endpoint is spelt.
  ///
  /// All of Google's endpoints lead to one service, and all names of this machine to this machine.
  package func isSameDatabase(as other: DatabaseEnvironment) -> Bool {
    guard database == other.database, isLocal == other.isLocal else { return false }
    if isLocal || (isRealService && other.isRealService) { return true }
    return address == other.address
  }

  /// Whether requests stay on this machine.
  package var isOnThisMachine: Bool {
    isLocal || address.isHere
  }

  /// Where requests go, apart from how that is spelt.
  var address: EndpointAddress { EndpointAddress(effectiveEndpoint) }

  /// Writes name, project, database and endpoint as members of an object.
  package func writeMembers(to json: inout JSONWriter) {
    json.key("name")
    json.string(name)
    json.key("project")
    json.string(database.project)
    json.key("database")
    json.string(database.database)
    json.key("endpoint")
    json.string(isLocal ? "embedded" : effectiveEndpoint)
  }
}
