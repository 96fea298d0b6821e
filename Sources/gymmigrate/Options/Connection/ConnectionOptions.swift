import Configuration

/// Options for where to work, and with which credentials.
struct ConnectionOptions: ParsableArguments {
  @Option(env: "The environment; see 'gymmigrate help connection'.")
  var environment: String?

  @Option(localFile: .hidden("Read this file of 'mirror pull' instead of an environment."))
  var mirror: String?

  @Option(databasePart: .hidden("The Google Cloud project, instead of the environment's."))
  var project: String?

  @Option(databasePart: .hidden("The database id, instead of the environment's."))
  var database: String?

  @Option(help: .hidden("Scheme, host and port of the service, without /v1."), as: TypedValue.text("url"))
  var endpoint: String?

  @Option(
    localFile: .hidden("A credential file: a service account key, a federated identity, or what gcloud left.")
  )
  var credentials: String?

  @Option(localFile: .hidden("A file that holds an access token; it is read again every minute."))
  var accessTokenFile: String?

  @Option(
    help: .hidden(
      "Sign as this service account by means of the credentials; before it, separated by commas, the accounts on the way to it."
    ),
    as: TypedValue.serviceAccount
  )
  var impersonateServiceAccount: ServiceAccountChain?

  @OptionGroup(visibility: .hidden) var files: ConfigurationOptions

  @OptionGroup(visibility: .hidden) var state: StateOptions

  @Option(help: .hidden("How long one request may be retried."))
  var retryFor = Duration.seconds(ConnectionSettings.usualRetry)

  @OptionGroup(visibility: .hidden) var bill: BillOptions

  var stateDir: String { state.stateDir }

  func validate() throws {
    if environment != nil, mirror != nil { throw ValidationError("Give --env or --mirror, not both.") }
  }

  var settings: ConnectionSettings {
    var settings = ConnectionSettings()
    (settings.environment, settings.mirror) = (environment, mirror)
    (settings.project, settings.database, settings.endpoint) = (project, database, endpoint)
    (settings.credentials, settings.accessTokenFile) = (credentials, accessTokenFile)
    settings.impersonateServiceAccount = impersonateServiceAccount
    settings.files = files.choice
    (settings.stateDir, settings.retryFor) = (stateDir, retryFor.inSeconds)
    settings.bound = bill.bound
    return settings
  }
}

/// Options that limit the cost of a command.
struct BillOptions: ParsableArguments {
  @Option(help: "Stop before the service could bill more reads than this.", from: 0)
  var maxReads: Int?

  @Option(help: "Stop before the service could bill more writes and deletes than this.", from: 0)
  var maxWrites: Int?

  @Option(
    help: "Stop before it could cost more US dollars than this, by the prices of the environment.",
    as: TypedValue.dollars
  )
  var maxCost: Double?

  /// The limit; nil for none.
  var bound: BillBound? {
    let bound = BillBound(reads: maxReads, writes: maxWrites, dollars: maxCost)
    return bound.isNone ? nil : bound
  }
}

/// The option for the location of runs.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of runs and of the embedded store.")
      .withDefault(ConnectionSettings.defaultStateDir),
    as: TypedValue.localFile.named("folder")
  )
  var stateDir = ConnectionSettings.defaultStateDir

  var history: RunHistory { RunHistory(in: stateDir) }
}

/// Options for what is known about environments and data before connecting.
struct ConfigurationOptions: ParsableArguments {
  @Option(
    localFile: "The configuration (default: gymmigrate.yaml here, else in the user's configuration folder)."
  )
  var config: String?

  @Option(
    localFile:
      "What the collections are: a file of YAML, the name of a schema that comes along, or none (default: as the configuration says; with --project none)."
  )
  var schema: String?

  var choice: ConfigurationChoice {
    var choice = ConfigurationChoice()
    (choice.config, choice.schema) = (config, schema)
    return choice
  }
}
