import Configuration
@_exported public import FirestoreDocuments
package import FirestoreREST

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A database, its credentials, and the HTTP client that reaches it.
///
///     let connection = try FirestoreConnection(project: "shop-7f3a")
///     let local = try FirestoreConnection(project: "demo", endpoint: "http://127.0.0.1:8080")
///
/// Create one and share it: all stores of a connection use its kept-alive connections and its access token. There is
/// nothing to close. The connections are closed and their thread ends when the last copy of the value, and the last store
/// and sequence created from it, are released.
public struct FirestoreConnection: Sendable {
  /// The credentials of the requests.
  public enum Credentials: Sendable, Equatable {
    /// Google's Application Default Credentials: the file of `GOOGLE_APPLICATION_CREDENTIALS`, the credentials of `gcloud
    /// auth application-default login`, or the service account of this machine.
    ///
    /// Over plain HTTP only the file is used, and only on this machine; otherwise requests are those of the emulator's
    /// owner.
    case applicationDefault
    /// A service account's key file, or another file of credentials.
    case file(String)
    /// A file with an access token, which is read again after it has expired.
    case accessTokenFile(String)
    /// The emulator's administrator, to whom Security Rules do not apply.
    case emulatorOwner
    /// No credentials: Security Rules apply.
    case none
  }

  /// The project ID.
  public var project: String { client.database.project }
  /// The database ID, such as `(default)`.
  public var database: String { client.database.database }
  /// Scheme, host and port, without a trailing slash.
  public var endpoint: String { client.endpoint }

  let client: FirestoreClient
  let isRealService: Bool

  /// Resolves the endpoint and the credentials, without sending anything.
  ///
  /// - Parameters:
  ///   - project: The project ID.
  ///   - database: The database ID.
  ///   - endpoint: Scheme, host and port, without `/v1`; nil for the emulator in `FIRESTORE_EMULATOR_HOST`, or else the
  ///     service.
  ///   - credentials: The credentials of the requests.
  ///   - retryLimit: How long one request is retried before its error is thrown.
  /// - Throws: ``FirestoreConnectionError`` if the endpoint or an ID is malformed, or credentials are missing, cannot be
  ///   read, or would be exposed to the network by plain HTTP.
  public init(
    project: String,
    database: String = "(default)",
    endpoint: String? = nil,
    credentials: Credentials = .applicationDefault,
    retryLimit: Duration = .seconds(300)
  ) throws {
    try self.init(
      DatabaseName(project: project, database: database),
      endpoint: endpoint,
      credentials: credentials,
      policy: RetryPolicy(budget: max(0, retryLimit / .seconds(1))),
      variables: ProcessInfo.processInfo.environment
    )
  }

  package init(
    _ name: DatabaseName,
    endpoint: String?,
    credentials: Credentials,
    policy: RetryPolicy = RetryPolicy(),
    variables: [String: String]
  ) throws {
    let (environment, signer) = try rethrowingPublicErrors {
      try Self.resolve(name, endpoint, credentials, variables)
    }
    let transport = CurlTransport(certificates: variables["CURL_CA_BUNDLE"] ?? variables["SSL_CERT_FILE"])
    let caller = ServiceCaller(
      transport: transport,
      credentials: TokenProvider(signer, transport: transport),
      policy: policy
    )
    client = FirestoreClient(database: name, endpoint: environment.effectiveEndpoint, caller: caller)
    isRealService = environment.isRealService
  }

  private static func resolve(
    _ name: DatabaseName,
    _ endpoint: String?,
    _ credentials: Credentials,
    _ variables: [String: String]
  ) throws -> (DatabaseEnvironment, FirestoreREST.Credentials) {
    for part in [name.project, name.database] where !DatabaseName.isPart(part) {
      throw FirestoreConnectionError(
        .configuration,
        "cannot use '\(part)': a project or a database is \(DatabaseName.partDescription)"
      )
    }
    let discovery = CredentialDiscovery(environment: variables)
    var environment = DatabaseEnvironment(name: "connection", database: name)
    if let endpoint = endpoint ?? discovery.emulatorHost.map({ "http://\($0)" }) {
      environment.endpoint = try Configuration.checkedEndpoint(endpoint)
    }
    return (environment, try signer(credentials, environment, discovery, variables))
  }

  /// Returns the credentials to use; over plain HTTP, discovered ones are not sent, and none are sent to another machine.
  private static func signer(
    _ credentials: Credentials,
    _ environment: DatabaseEnvironment,
    _ discovery: CredentialDiscovery,
    _ variables: [String: String]
  ) throws -> FirestoreREST.Credentials {
    let isPlain = environment.effectiveEndpoint.hasPrefix("http://")
    let isEmulator = discovery.emulatorHost.map { environment.endpoint == "http://\($0)" } ?? false
    let namesFile = variables["GOOGLE_APPLICATION_CREDENTIALS"].map { !$0.isEmpty } ?? false
    switch credentials {
    case .none: return FirestoreREST.Credentials(.none)
    case .emulatorOwner: return FirestoreREST.Credentials(.emulatorOwner)
    case .applicationDefault where isPlain && (!namesFile || isEmulator):
      return FirestoreREST.Credentials(.emulatorOwner)
    case .applicationDefault, .file, .accessTokenFile: break
    }
    if isPlain, !environment.isOnThisMachine {
      throw FirestoreConnectionError(
        .configuration,
        "cannot send credentials to \(environment.effectiveEndpoint): plain HTTP would show them to the network"
      )
    }
    switch credentials {
    case .file(let path): return try discovery.resolve(explicitFile: path)
    case .accessTokenFile(let path): return try discovery.resolve(accessTokenFile: path)
    default: return try discovery.resolve()
    }
  }
}
