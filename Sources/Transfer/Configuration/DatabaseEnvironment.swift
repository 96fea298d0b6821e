/// A named database with its endpoint and credentials.
///
///     let environment = DatabaseEnvironment(
///       name: "test",
///       database: DatabaseName(project: "shop-7f3a", database: "test")
///     )
package struct DatabaseEnvironment: Sendable, Equatable {
  /// The name on the command line: `test`, `prod`, `local`.
  package var name: String
  package var database: DatabaseName
  /// Scheme, host and port, without `/v1`; nil for the real service.
  package var endpoint: String?
  /// Whether a write requires `--confirm NAME`.
  package var isProtected = false
  /// Whether its documents may only be copied, exported and pulled in masked form.
  package var leavesMasked = false
  /// The path of its credentials file.
  package var credentials: String?
  /// The service account to impersonate with the credentials; nil for the credentials themselves.
  package var impersonated: ServiceAccountChain?
  /// The Cloud Storage bucket that the application uses along with the database; nil if the configuration specifies none.
  package var storageBucket: String?
  /// The prices of operations in it; nil for the prices that apply to all environments.
  package var prices: PriceList?
  /// The edition and the location, as shown by `doctor`; nil if the configuration does not specify them.
  package var edition: String?
  package var location: String?
  /// What runs may be billed.
  package var limits: BillLimits?
  /// Who is notified of runs in it.
  package var notify: NotificationTargets?
  /// The file of a mirror, which this process serves; nil for a database.
  package var mirror: String?
  /// The exported files whose documents this process serves; nil for a database.
  package var snapshot: [String]?
  /// The other configuration that protects it; nil if that is the one in use.
  package var protectedBy: String?

  package init(
    name: String,
    database: DatabaseName,
    endpoint: String? = nil,
    credentials: String? = nil
  ) {
    self.name = name
    self.database = database
    self.endpoint = endpoint
    self.credentials = credentials
  }

  /// The name of the embedded store.
  package static let localName = "local"

  /// Whether it is the embedded store, which runs inside this process.
  package var isLocal: Bool { name == Self.localName && endpoint == nil && snapshot == nil }

  /// The name of an environment that is specified by options, with only its project.
  package static let unnamed = "custom"

  /// The prefix of a mirror's name: `mirror:gym.sqlite`.
  package static let mirrorPrefix = "mirror:"

  /// Whether this process serves it: the embedded store, a mirror, or exported files.
  package var isEmbedded: Bool { isLocal || mirror != nil || snapshot != nil }

  package static let productionEndpoint = "https://firestore.googleapis.com"

  /// The endpoint that requests are sent to.
  package var effectiveEndpoint: String { endpoint ?? Self.productionEndpoint }

  /// The server, as recorded by runs and mirrors: `embedded`, or the endpoint.
  package var server: String { isEmbedded ? Self.embeddedServer : effectiveEndpoint }

  package static let embeddedServer = "embedded"

  /// Whether a recorded server is that of this environment, regardless of the spelling of its endpoint.
  package func isServed(by server: String) -> Bool {
    if isEmbedded || server.isIdentical(to: Self.embeddedServer) {
      return server.isIdentical(to: self.server)
    }
    var other = self
    other.endpoint = server
    return isSameDatabase(as: other)
  }

  /// Whether requests go to the real service, where the write ramp applies and the data is production data.
  package var isRealService: Bool {
    !isEmbedded && (endpoint?.lowercased().contains("googleapis.com") ?? true)
  }

  /// Whether two environments are the same database, regardless of their names and the spelling of their endpoints.
  ///
  /// All Google endpoints reach one service, and all names of this machine reach this machine.
  package func isSameDatabase(as other: DatabaseEnvironment) -> Bool {
    guard database == other.database, isLocal == other.isLocal, files == other.files else { return false }
    if isEmbedded || (isRealService && other.isRealService) { return true }
    return address == other.address
  }

  /// The files that this process serves, compared by their bytes.
  private var files: [UTF8Key]? { (mirror.map { [$0] } ?? snapshot)?.map { UTF8Key($0) } }

  /// Whether requests stay on this machine.
  package var isOnThisMachine: Bool { isEmbedded || address.isHere }

  var address: EndpointAddress { EndpointAddress(effectiveEndpoint) }

  /// Writes name, project, database and endpoint as members of an object.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    json.member("project", database.project)
    json.member("database", database.database)
    json.member("endpoint", server)
  }
}
