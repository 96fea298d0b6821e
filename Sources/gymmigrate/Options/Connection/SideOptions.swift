import Configuration

/// The source of a command with two sides.
struct FromOptions: ParsableArguments {
  @Option(databasePart: "The project of --from, instead of the environment's.")
  var fromProject: String?

  @Option(databasePart: "The database id of --from, instead of the environment's.")
  var fromDatabase: String?

  @Option(help: "Scheme, host and port of the service of --from, without /v1.", as: TypedValue.text("url"))
  var fromEndpoint: String?

  @Option(localFile: "The credentials file of --from.")
  var fromCredentials: String?

  @Option(localFile: "The access token file of --from.")
  var fromAccessTokenFile: String?

  @Option(
    help: "The service account to read --from as, by means of its credentials.",
    as: TypedValue.serviceAccount
  )
  var fromImpersonateServiceAccount: ServiceAccountChain?

  /// Whether any of the options is given.
  var isGiven: Bool { connection(to: nil, beside: ConnectionSettings()).namesDatabase }

  /// The connection of the source.
  func connection(to name: String?, beside target: ConnectionSettings) -> ConnectionSettings {
    var connection = target.beside(name)
    connection.project = fromProject
    connection.database = fromDatabase
    connection.endpoint = fromEndpoint
    connection.credentials = fromCredentials
    connection.accessTokenFile = fromAccessTokenFile
    connection.impersonateServiceAccount = fromImpersonateServiceAccount
    return connection
  }
}
