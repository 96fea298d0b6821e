import Configuration
import Storage

/// Opens the files of a command whose names may be bucket addresses.
///
/// If no name is an address, nothing is sent and no credentials are read.
struct StorageAccess {
  /// All files that can be reached.
  let files: FileAccess
  /// The buckets; nil if no name is an address.
  let storage: CloudStorage?

  /// - Parameters:
  ///   - names: The names as typed.
  ///   - connection: The connection of the command, whose credentials are used; nil to find credentials automatically.
  ///   - traffic: Counts the requests.
  /// - Throws: `.usage` for a malformed address, `.configuration` if there are no credentials.
  init(
    for names: [String],
    _ connection: ConnectionSettings?,
    counting traffic: TrafficCounter = Invocation.current.traffic
  ) throws(Failure) {
    let addresses = names.filter(FileAccess.isRemote)
    for address in addresses { _ = try StorageAddress(address) }
    if addresses.isEmpty {
      (files, storage) = (.local, nil)
      return
    }
    let variables = Invocation.current.variables
    let endpoint = try CloudStorage.emulatorEndpoint(variables)
    let credentials = try endpoint == nil ? Self.credentials(connection, variables) : Credentials(.none)
    let storage = CloudStorage(
      endpoint: endpoint,
      credentials: credentials.scoped(to: [.devstorage]),
      transport: CurlTransport(certificates: Invocation.current.certificates),
      policy: RetryPolicy(budget: connection?.retryFor ?? ConnectionSettings.usualRetry),
      traffic: traffic
    )
    (files, self.storage) = (storage.files, storage)
  }

  /// Returns the credentials: those for the database if it is Google's, and otherwise what is found automatically.
  private static func credentials(
    _ connection: ConnectionSettings?,
    _ variables: [String: String]
  ) throws(Failure) -> Credentials {
    let discovery = CredentialDiscovery(environment: variables)
    guard let connection else { return try discovery.resolve() }
    var file = connection.credentials
    var impersonated = connection.impersonateServiceAccount
    // A comparison of two files names no environment.
    if connection.environment != nil {
      let environment = try EnvironmentResolver(connection).environment()
      impersonated = environment.impersonated
      if !environment.isEmbedded { file = environment.credentials }
    }
    return try discovery.resolve(
      explicitFile: file,
      accessTokenFile: connection.accessTokenFile,
      impersonating: impersonated
    )
  }
}
