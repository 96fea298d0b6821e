import Configuration
import LocalFirestore
import Mirror
import Schema
import Transfer

/// Resolves connection options, the configuration file and environment variables to an environment and a client for it.
struct EnvironmentResolver {
  let options: ConnectionSettings
  private let invocation = Invocation.current
  private var files: ConfigurationResolver {
    ConfigurationResolver(options.files, isConfigured: isConfigured)
  }
  private var variables: [String: String] { invocation.variables }
  private var discovery: CredentialDiscovery { CredentialDiscovery(environment: variables) }

  init(_ options: ConnectionSettings) {
    self.options = options
  }

  init(_ options: ConnectionOptions) { self.init(options.settings) }

  /// Whether the database is from the configuration, so that its schema applies; a project that is only named is not.
  var isConfigured: Bool {
    let isNamed = options.environment != nil || options.mirror != nil || options.snapshot != nil
    return options.project == nil && (isNamed || variables["GOOGLE_CLOUD_PROJECT"] == nil)
  }

  /// The configuration in use.
  func configuration() throws(Failure) -> Configuration { try files.configuration() }

  /// Returns the known environments as they would be used, under their configured names, each with the name of another one with
  /// the same database.
  func environments() throws(Failure) -> [(environment: DatabaseEnvironment, same: String?)] {
    let environments = try reached()
    return try environments.map { environment throws(Failure) in
      var used = try guarded(environment)
      let guardian = used.name.isIdentical(to: environment.name) ? nil : used.name
      used.name = environment.name
      let same = environments.first { other in
        !other.name.isIdentical(to: environment.name) && other.isSameDatabase(as: environment)
      }
      return (used, guardian ?? same?.name)
    }
  }

  private func reached() throws(Failure) -> [DatabaseEnvironment] {
    try configuration().environments.map { environment throws(Failure) in
      // A protected environment is refused while the variable is set.
      if environment.isProtected { return environment }
      var reached = environment
      reached.endpoint = try emulator(of: environment) ?? environment.endpoint
      return reached
    }
  }

  /// Returns the endpoint in FIRESTORE_EMULATOR_HOST for an environment that it replaces; nil for any other.
  private func emulator(of environment: DatabaseEnvironment) throws(Failure) -> String? {
    guard let host = discovery.emulatorHost, environment.endpoint == nil, !environment.isEmbedded else {
      return nil
    }
    return try Configuration.checkedEndpoint("http://\(host)")
  }

  func schema() throws(Failure) -> DatabaseSchema { try files.schema() }

  /// Returns the SHA-256 of the schema, regardless of the formatting of its file.
  func schemaDigest() throws(Failure) -> String {
    try SHA256Digest.checksum(of: Array(SchemaWriter.yaml(schema()).utf8))
  }

  /// Returns the choice of the schema as a word: a name, a file or none.
  func schemaText() throws(Failure) -> String {
    switch try files.schemaChoice() {
    case .none: "none"
    case .builtIn(let name): name
    case .file(let path): path
    }
  }

  /// Returns the named environment, without options that override parts of it; nil if none is named.
  func named() throws(Failure) -> DatabaseEnvironment? {
    if let paths = options.snapshot { return try snapshot(paths) }
    guard let name = options.environment else { return try options.mirror.map(mirror) }
    if name.hasPrefix(DatabaseEnvironment.mirrorPrefix) {
      return try mirror(String(name.dropFirst(DatabaseEnvironment.mirrorPrefix.count)))
    }
    return try configuration().environment(named: name)
  }

  private func mirror(_ file: String) throws(Failure) -> DatabaseEnvironment {
    if options.namesDatabase {
      throw Failure(
        .usage,
        "use the mirror",
        path: file,
        cause: "options name a project, a database, an endpoint or credentials for it",
        remedy: "Leave them out: a mirror is a file."
      )
    }
    let info = try MirrorInfo(MirrorFile(file, for: .reading))
    var environment = DatabaseEnvironment(
      name: DatabaseEnvironment.mirrorPrefix + file,
      database: info.database
    )
    environment.mirror = file
    environment.storageBucket = try storageBucket(of: info.database)
    return environment
  }

  /// Returns the configured storage bucket of a database that files belong to.
  func storageBucket(of database: DatabaseName) throws(Failure) -> String? {
    try configuration().environments.first { $0.database == database && !$0.isLocal }?.storageBucket
  }

  /// Returns the environment to use, with the options that override parts of it.
  func environment() throws(Failure) -> DatabaseEnvironment {
    var environment: DatabaseEnvironment
    if let named = try named() {
      environment = named
    } else if let project = try namedProject() {
      environment = DatabaseEnvironment(
        name: DatabaseEnvironment.unnamed,
        database: DatabaseName(project: project)
      )
    } else {
      let known = try configuration().environments.map(\.name).joined(separator: ", ")
      throw Failure(
        .usage,
        "choose the environment",
        cause: "none is named",
        remedy: "Give -e with one of \(known), or --project and --database."
      )
    }
    environment.database = DatabaseName(
      project: options.project ?? environment.database.project,
      database: options.database ?? environment.database.database
    )
    if let endpoint = options.endpoint {
      environment.endpoint = try Configuration.checkedEndpoint(endpoint)
    } else if let emulator = try emulator(of: environment) {
      if environment.isProtected {
        throw Failure(
          .notPermitted,
          "use the environment",
          path: environment.name,
          cause: "it is protected, and FIRESTORE_EMULATOR_HOST points elsewhere",
          remedy: "Unset the variable, or give --endpoint."
        )
      }
      environment.endpoint = emulator
    }
    // Credentials on the command line override those of the configuration, of either kind.
    if options.credentials != nil || options.accessTokenFile != nil {
      environment.credentials = options.credentials
    }
    environment.impersonated = options.impersonateServiceAccount ?? environment.impersonated
    return try guarded(environment)
  }

  /// Returns the names that headers of migrations and gates may use for the database, however it was specified.
  func names() throws(Failure) -> DatabaseNames {
    let environment = try environment()
    var known = try configuration()
    known.environments = try reached()
    return known.names(of: environment, isEmulator: isEmulator(environment))
  }

  /// Returns an environment with the protection that applies to it.
  private func guarded(_ environment: DatabaseEnvironment) throws(Failure) -> DatabaseEnvironment {
    let configuration = try configuration()
    return configuration.guarded(
      environment,
      isEmulator: isEmulator(environment),
      besides: try files.others(than: configuration)
    )
  }

  /// Returns `--project`, or else the project in GOOGLE_CLOUD_PROJECT; nil if neither is set.
  private func namedProject() throws(Failure) -> String? {
    if let project = options.project { return project }
    guard let project = variables["GOOGLE_CLOUD_PROJECT"], !project.isEmpty else { return nil }
    if DatabaseName.isPart(project) { return project }
    throw Failure(
      .usage,
      "use GOOGLE_CLOUD_PROJECT",
      cause: "'\(project)' is not \(DatabaseName.partDescription)",
      remedy: "Set it to the id of a project, or give --project."
    )
  }

  /// Runs `body` with a caller for the environment, starting the embedded store if that is meant.
  ///
  /// - Parameter snapshot: The documents that replace the environment; nil for a database.
  func withCaller<Result>(
    _ environment: DatabaseEnvironment,
    serving snapshot: Snapshot? = nil,
    policy: RetryPolicy,
    traffic: TrafficCounter,
    onRetry: @escaping @Sendable (RetryNotice) -> Void,
    _ body: (_ endpoint: String, _ signer: String, _ caller: ServiceCaller) async throws -> Result
  ) async throws -> Result {
    let transport = CurlTransport(certificates: invocation.certificates)
    let traffic = options.isScratch == true ? TrafficCounter() : traffic
    func caller(_ credentials: Credentials) -> ServiceCaller {
      ServiceCaller(
        transport: transport,
        credentials: TokenProvider(credentials, transport: transport),
        policy: policy,
        traffic: traffic,
        onRetry: onRetry
      )
    }
    guard environment.isEmbedded else {
      let credentials = try credentials(for: environment)
      let caller = caller(credentials)
      try await limit(traffic.account, in: environment, by: caller)
      return try await body(environment.effectiveEndpoint, credentials.description, caller)
    }
    try await limit(traffic.account, in: environment, by: nil)
    // Every user of this machine can reach its port, but only this process knows its token.
    let token = BearerToken.random()
    return try await withServer(
      of: environment,
      snapshot,
      LocalFirestoreServer.Access(token: token.revealed)
    ) { server in
      var caller = caller(Credentials(.bearer(token)))
      caller.isBilled = environment.isLocal
      return try await body(server.endpoint, signer(for: environment), caller)
    }
  }

  /// Runs `body` with the server of an environment that this process serves.
  private func withServer<Result>(
    of environment: DatabaseEnvironment,
    _ snapshot: Snapshot?,
    _ access: LocalFirestoreServer.Access,
    _ body: (LocalFirestoreServer) async throws -> Result
  ) async throws -> Result {
    if let snapshot {
      return try await LocalFirestoreServer.withSnapshot(
        snapshot,
        of: environment.database,
        access: access,
        body
      )
    }
    if let file = environment.mirror {
      let info = try MirrorInfo(MirrorFile(file, for: .reading))
      let moment = info.readTime ?? info.pulledAt
      return try await LocalFirestoreServer.withMirror(file, at: moment, access: access, body)
    }
    try RunDirectory.makeDirectory(options.stateDir)
    return try await LocalFirestoreServer.withServer(dataFile: dataFile, access: access, body)
  }

  /// The data file of the embedded store.
  private var dataFile: String { "\(options.stateDir)/local.sqlite" }

  /// Describes whose credentials would be used.
  func signer(for environment: DatabaseEnvironment) throws(Failure) -> String {
    let name = environment.snapshot == nil ? dataFile : environment.name
    if environment.isEmbedded { return "the owner of \(environment.mirror ?? name)" }
    return try credentials(for: environment).description
  }

  /// Returns the credentials for an environment.
  ///
  /// Credentials that are found automatically are never sent over plain HTTP, because an emulator needs none and the network
  /// would see them.
  private func credentials(for environment: DatabaseEnvironment) throws(Failure) -> Credentials {
    let isPlain = environment.effectiveEndpoint.hasPrefix("http://")
    let isNamed =
      environment.credentials != nil || options.accessTokenFile != nil
      || (variables["GOOGLE_APPLICATION_CREDENTIALS"].map { !$0.isEmpty } ?? false)
    if isPlain, !isNamed || isEmulator(environment) { return Credentials(.emulatorOwner) }
    if isPlain, !environment.isOnThisMachine {
      throw Failure(
        .configuration,
        "send credentials to",
        path: environment.effectiveEndpoint,
        cause: "plain HTTP would show them to the network",
        remedy: "Use https, or give no credentials."
      )
    }
    return try discovery.resolve(
      explicitFile: environment.credentials,
      accessTokenFile: options.accessTokenFile,
      impersonating: environment.impersonated
    )
  }

  /// Whether the endpoint is the one in FIRESTORE_EMULATOR_HOST.
  private func isEmulator(_ environment: DatabaseEnvironment) -> Bool {
    options.endpoint == nil && discovery.emulatorHost.map { environment.endpoint == "http://\($0)" } ?? false
  }
}
