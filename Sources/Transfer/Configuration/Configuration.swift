package import Schema
import YAML

/// The contents of `gymmigrate.yaml`: the environments that a user can name, the schema and the prices.
///
///     project: shop-7f3a            # default for all environments
///     schema: shop.yaml             # what the collections are
///     environments:
///       test: { database: test }
///       prod:
///         database: prod
///         protected: true
///         credentials: keys/prod.json
///         impersonate: exporter@shop-7f3a.iam.gserviceaccount.com
///         storageBucket: shop-7f3a.appspot.com
///     migrations: migrations        # the folder of migrations
///     promote: { prod: { after: test, verified: true } }
///     prices: { reads: 0.06, writes: 0.18, deletes: 0.02 }    # US dollars for 100,000 documents
package struct Configuration: Sendable, Equatable {
  /// The environments, in the order of the file.
  package var environments: [DatabaseEnvironment]
  /// The path of the file; nil for the built-in environments.
  package var file: String?
  package var prices: PriceList
  /// The schema of the data; nil if the file does not specify one.
  package var schema: SchemaChoice?
  /// The folder of migrations; nil if the file does not specify one.
  package var migrations: String?
  /// The conditions for applying migrations.
  package var promotions: [Promotion] = []
  /// Who is notified of runs in all environments.
  package var notify: NotificationTargets?

  package init(environments: [DatabaseEnvironment], file: String? = nil, prices: PriceList = .nam5) {
    self.environments = environments
    self.file = file
    self.prices = prices
  }

  /// Returns the built-in configuration, which applies without a file.
  package static func builtIn(_ text: String, schemas: [String]) throws(Failure) -> Configuration {
    var configuration = try Configuration(parsing: text, file: "gymmigrate.yaml", schemas: schemas)
    configuration.file = nil
    return configuration
  }

  /// Returns the environment with a name.
  ///
  /// - Throws: `.configuration`, with a list of the defined names.
  package func environment(named name: String) throws(Failure) -> DatabaseEnvironment {
    if let found = environments.first(where: { $0.name.isIdentical(to: name) }) { return found }
    let names = environments.map(\.name)
    let near = name.nearest(of: names).map { "Did you mean \($0)? " } ?? ""
    throw Failure(
      .configuration,
      "use the environment",
      path: name,
      cause: "it is not one of \(names.joined(separator: ", "))",
      remedy: near
        + (file.map { "Add \(name) to 'environments' in \($0)." }
          ?? "Add \(name) to 'environments' in gymmigrate.yaml, or give --project and --database.")
    )
  }

  /// Returns the prices for an environment, as far as the file specifies its edition and location.
  package func prices(of environment: DatabaseEnvironment) -> PriceList {
    environment.prices ?? prices.of(edition: environment.edition, location: environment.location)
  }

  /// Returns the buckets of the environments, from the perspective of one of them; nil if that has none.
  package func buckets(of environment: DatabaseEnvironment) -> StorageBuckets? {
    guard let own = environment.storageBucket else { return nil }
    return StorageBuckets(
      own: own,
      others: environments.compactMap { other in other.storageBucket.map { (other.name, $0) } }
    )
  }

  // MARK: Parsing

  /// Parses `gymmigrate.yaml`.
  ///
  /// - Parameters:
  ///   - text: The YAML.
  ///   - file: Its path, for errors; relative paths of credentials, a schema and migrations are resolved against its
  ///     folder.
  ///   - localProject: The project of `local` if the file specifies none for all environments.
  ///   - schemas: The names of the built-in schemas.
  ///   - commands: The names of the commands; empty if they are not known.
  /// - Throws: `.configuration` with the line and column of the error.
  package init(
    parsing text: String,
    file: String,
    localProject: String = "local",
    schemas: [String] = [],
    commands: [String] = []
  ) throws(Failure) {
    let yaml = YAMLFile(file, kind: .configuration, operation: "read the configuration")
    // Each alias can double the size of the document, and Yams traverses all of it if a map is a key.
    if Self.aliasCount(text) > Self.maximumAliases {
      throw yaml.failure(at: nil, "it has more than \(Self.maximumAliases) aliases (*name)")
    }
    self.init(environments: [], file: file)
    let root = try yaml.parse(text, allowsAliases: true)
    try Self.assertNoNull(root, in: yaml)
    var project: String?
    var entries: [(name: String, key: YAMLNode, value: YAMLNode)] = []
    var promotions: YAMLNode?
    let known = ["project", "schema", "environments", "migrations", "promote", "prices", "notify"]
    let members = try yaml.members(root, "the file", known: known)
    for (name, _, value) in members {
      switch name {
      case "project": project = try Self.part(value, "project", in: yaml)
      case "schema": schema = try Self.schema(value, beside: file, schemas, in: yaml)
      case "prices": prices = try Self.prices(value, in: yaml)
      case "promote": promotions = value
      case "notify": notify = try .read(value, in: yaml, commands) { Self.path($0, besides: file) }
      case "migrations": migrations = Self.path(try yaml.text(value, "migrations"), besides: file)
      default: entries = try yaml.members(value, "'environments'", known: nil)
      }
    }
    for (name, key, value) in entries {
      if name.isEmpty || name.hasPrefix(DatabaseEnvironment.mirrorPrefix) {
        throw yaml.failure(at: key, "'\(name)' cannot name an environment: no command could choose it")
      }
      // Nobody sees which of two names that are equal to Swift, and not identical, is meant.
      if environments.contains(where: { $0.name == name }) {
        throw yaml.failure(at: key, "'\(name)' is there twice, with its accents composed otherwise")
      }
      var own = project
      var database: String?
      var environment = DatabaseEnvironment(name: name, database: DatabaseName(project: ""))
      let known = [
        "project", "database", "endpoint", "protected", "leaves", "credentials", "impersonate",
        "storageBucket", "notify", "prices", "edition", "location", "limits",
      ]
      for (member, _, value) in try yaml.members(value, "an environment", known: known) {
        switch member {
        case "project": own = try Self.part(value, "project", in: yaml)
        case "database": database = try Self.part(value, "database", in: yaml)
        case "endpoint":
          let endpoint = try yaml.text(value, "endpoint")
          do throws(Failure) {
            environment.endpoint = try Self.checkedEndpoint(endpoint)
          } catch {
            throw yaml.failure(at: value, error.cause)
          }
        case "leaves":
          guard try yaml.text(value, member) == "masked" else {
            throw yaml.failure(at: value, "'leaves' is 'masked', or is left out")
          }
          environment.leavesMasked = true
        case "prices": environment.prices = try Self.prices(value, in: yaml)
        case "limits": environment.limits = try .read(value, in: yaml)
        case "location": environment.location = try Self.part(value, member, in: yaml)
        case "edition":
          let edition = try yaml.text(value, member)
          guard ["standard", "enterprise"].contains(edition) else {
            throw yaml.failure(at: value, "'edition' is 'standard' or 'enterprise'")
          }
          environment.edition = edition
        case "notify":
          environment.notify = try .read(value, in: yaml, commands) { Self.path($0, besides: file) }
        case "protected": environment.isProtected = try yaml.boolean(value, "protected")
        case "impersonate":
          let text = try yaml.text(value, member)
          guard let chain = ServiceAccountChain(text) else {
            let expected = ServiceAccountChain.expectation
            throw yaml.failure(at: value, "'impersonate' is '\(text)', and not \(expected)")
          }
          environment.impersonated = chain
        case "storageBucket":
          let bucket = try yaml.text(value, member)
          guard BucketName.isValid(bucket) else {
            throw yaml.failure(
              at: value,
              "'storageBucket' is '\(bucket)', and not a bucket's name: 3 to 222 lower-case letters, digits, -, _ and ."
            )
          }
          environment.storageBucket = bucket
        default: environment.credentials = Self.path(try yaml.text(value, "credentials"), besides: file)
        }
      }
      guard let own else {
        throw yaml.failure(at: key, "'\(name)' has no project, and the file sets no default project")
      }
      environment.database = DatabaseName(
        project: own,
        database: database ?? (name == DatabaseEnvironment.localName ? "local" : "(default)")
      )
      environments.append(environment)
    }
    if environments.isEmpty { throw yaml.failure(at: root, "it defines no environments") }
    let local = DatabaseEnvironment.localName
    if !environments.contains(where: { $0.name == local }) {
      let database = DatabaseName(project: project ?? localProject, database: "local")
      environments.append(DatabaseEnvironment(name: local, database: database))
    }
    if let promotions { self.promotions = try Promotion.read(promotions, of: environments, in: yaml) }
  }

  /// Refuses values that YAML takes for null, as no name can be one.
  private static func assertNoNull(_ node: YAMLNode, in yaml: YAMLFile) throws(Failure) {
    switch node.content {
    case .sequence(let items): for item in items { try assertNoNull(item, in: yaml) }
    case .mapping(let members): for (_, value) in members { try assertNoNull(value, in: yaml) }
    case .scalar(let text, _):
      if node.isNull, !text.isEmpty {
        throw yaml.failure(at: node, "'\(text)' is no value; leave the line out, or put a name into quotes")
      }
    }
  }

  /// Parses the choice of the schema.
  private static func schema(
    _ node: YAMLNode,
    beside file: String,
    _ schemas: [String],
    in yaml: YAMLFile
  ) throws(Failure) -> SchemaChoice {
    let text = try yaml.text(node, "schema")
    guard let choice = SchemaChoice(text, builtIn: schemas) else {
      throw yaml.failure(at: node, "'schema' is '\(text)'; expected \(SchemaChoice.expected(schemas))")
    }
    if case .file(let schema) = choice { return .file(path(schema, besides: file)) }
    return choice
  }

  /// Parses the ID of a project or database.
  private static func part(_ node: YAMLNode, _ name: String, in yaml: YAMLFile) throws(Failure) -> String {
    let text = try yaml.text(node, name)
    if DatabaseName.isPart(text) { return text }
    throw yaml.failure(at: node, "'\(name)' is '\(text)', and not \(DatabaseName.partDescription)")
  }

  /// Parses a price list, which has to be complete, because a mix with built-in prices would be wrong.
  private static func prices(_ node: YAMLNode, in yaml: YAMLFile) throws(Failure) -> PriceList {
    var prices: [String: Double] = [:]
    let known = ["reads", "writes", "deletes"]
    for (name, _, value) in try yaml.members(node, "'prices'", known: known) {
      guard let price = PriceList.dollars(value.text ?? "") else {
        throw yaml.failure(at: value, "'\(name)' must be US dollars for 100,000 documents, such as 0.06")
      }
      prices[name] = price
    }
    guard let reads = prices["reads"], let writes = prices["writes"], let deletes = prices["deletes"] else {
      throw yaml.failure(at: node, "'prices' must have all of \(known.joined(separator: ", "))")
    }
    return PriceList(reads: reads, writes: writes, deletes: deletes, name: "prices of \(yaml.path)")
  }

  /// The maximum number of aliases in a file: 30 expand to at most 3^10 nodes.
  private static let maximumAliases = 30

  /// Returns an upper bound of the number of aliases in a text: asterisks followed by the start of a name.
  private static func aliasCount(_ text: String) -> Int {
    zip(text.utf8, text.utf8.dropFirst()).count { byte, next in
      byte == UInt8(ascii: "*") && (next.isASCIILetterOrDigit || "_-".utf8.contains(next))
    }
  }

  /// Returns scheme, host and port without a trailing slash.
  ///
  /// - Throws: `.usage` for anything else.
  package static func checkedEndpoint(_ text: String) throws(Failure) -> String {
    var endpoint = text
    while endpoint.hasSuffix("/") { endpoint.removeLast() }
    let rest =
      endpoint.hasPrefix("http://")
      ? endpoint.dropFirst(7) : endpoint.hasPrefix("https://") ? endpoint.dropFirst(8) : ""
    guard isHostAndPort(rest) else {
      throw Failure(
        .usage,
        "use the endpoint",
        path: text,
        cause:
          "an endpoint must be scheme, host and port, such as https://firestore.googleapis.com, without /v1"
      )
    }
    return endpoint
  }

  /// Whether a text is a host name, an IPv4 address or an IPv6 address in brackets, with an optional port.
  private static func isHostAndPort(_ text: Substring) -> Bool {
    var host = text.utf8[...]
    var port: Substring.UTF8View?
    if host.first == UInt8(ascii: "[") {
      guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let after = host[host.index(after: end)...]
      if !after.isEmpty {
        guard after.first == UInt8(ascii: ":") else { return false }
        port = after.dropFirst()
      }
      host = host[..<end].dropFirst()
      guard host.allSatisfy({ "0123456789abcdefABCDEF:.".utf8.contains($0) }) else { return false }
    } else {
      if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
        port = host[host.index(after: colon)...]
        host = host[..<colon]
      }
      let others = "-._".utf8
      guard host.allSatisfy({ $0.isASCIILetterOrDigit || others.contains($0) }) else { return false }
    }
    if let port {
      guard port.allSatisfy(\.isASCIIDigit), let number = Int(String(port) ?? ""),
        (1...65_535).contains(number)
      else { return false }
    }
    return !host.isEmpty
  }

  private static func path(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
  }
}
