import Configuration

/// Options for where to work, and with which credentials.
struct ConnectionOptions: ParsableArguments {
  @Option(
    name: [.customShort("e"), .customLong("env")],
    help: "The environment; see 'gymmigrate help connection'.",
    completion: CompletionValues.environments
  )
  var environment: String?

  @Option(
    localFile: ArgumentHelp("Read this file of 'mirror pull' instead of an environment.", visibility: .hidden)
  )
  var mirror: String?

  @Option(
    databasePart: ArgumentHelp("The Google Cloud project, instead of the environment's.", visibility: .hidden)
  )
  var project: String?

  @Option(
    databasePart: ArgumentHelp("The database id, instead of the environment's.", visibility: .hidden)
  )
  var database: String?

  @Option(
    help: ArgumentHelp(
      "Scheme, host and port of the service, without /v1.",
      valueName: "url",
      visibility: .hidden
    )
  )
  var endpoint: String?

  @Option(
    localFile: ArgumentHelp(
      "A credential file: a service account key, a federated identity, or what gcloud left.",
      visibility: .hidden
    )
  )
  var credentials: String?

  @Option(
    localFile: ArgumentHelp(
      "A file that holds an access token; it is read again every minute.",
      visibility: .hidden
    )
  )
  var accessTokenFile: String?

  @Option(
    help: ArgumentHelp(
      "Sign as this service account by means of the credentials; before it, separated by commas, the accounts on the way to it.",
      valueName: "email",
      visibility: .hidden
    ),
    transform: TypedValue.serviceAccount
  )
  var impersonateServiceAccount: ServiceAccountChain?

  @OptionGroup(visibility: .hidden) var files: ConfigurationOptions

  @OptionGroup(visibility: .hidden) var state: StateOptions

  @Option(help: ArgumentHelp("How long one request may be retried.", visibility: .hidden))
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
    help: ArgumentHelp(
      "Stop before it could cost more US dollars than this, by the prices of the environment.",
      valueName: "usd"
    ),
    transform: Self.dollars
  )
  var maxCost: Double?

  private static func dollars(_ text: String) throws -> Double {
    try PriceList.dollars(text).orExpecting("US dollars, such as 2.50")
  }

  /// The limit; nil for none.
  var bound: BillBound? {
    let bound = BillBound(reads: maxReads, writes: maxWrites, dollars: maxCost)
    return bound.isNone ? nil : bound
  }
}

/// The option for the location of runs.
struct StateOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder of runs and of the embedded store.", valueName: "folder").withDefault(
      ConnectionSettings.defaultStateDir
    ),
    transform: TypedValue.localFile
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
