public import Models

/// One place that gymmigrate works on: a database behind an endpoint.
public struct Environment: Sendable, Equatable {
  /// The name on the command line: `test`, `prod`, `local`.
  public var name: String
  /// The database.
  public var database: DatabaseName
  /// Scheme, host and port, without `/v1`; nil is the real service.
  public var endpoint: String?
  /// Whether a write wants `--confirm NAME`.
  public var isProtected: Bool
  /// A credentials file of its own.
  public var credentials: String?

  /// Makes an environment.
  public init(
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
  public static let localName = "local"

  /// Whether it is the embedded store, started inside this process.
  public var isLocal: Bool { name == Self.localName && endpoint == nil }

  /// Where requests go.
  public var effectiveEndpoint: String { endpoint ?? FirestoreClient.productionEndpoint }

  /// Whether requests go to the real service, whose ramp is kept and whose data are somebody's.
  public var isRealService: Bool {
    !isLocal && (endpoint == nil || (endpoint?.lowercased().contains("googleapis.com") ?? false))
  }

  /// Whether two environments are one database, whatever they are called and however the endpoint is spelt.
  ///
  /// All of Google's endpoints lead to one service, and all names of this machine to this machine.
  public func isSameDatabase(as other: Environment) -> Bool {
    guard database == other.database, isLocal == other.isLocal else { return false }
    if isLocal || (isRealService && other.isRealService) { return true }
    return Self.canonical(effectiveEndpoint).isIdentical(to: Self.canonical(other.effectiveEndpoint))
  }

  /// Whether requests stay on this machine.
  package var isOnThisMachine: Bool {
    isLocal || Self.canonical(effectiveEndpoint).hasPrefix("\(Self.thisMachine):")
  }

  private static let thisMachine = "localhost"

  /// The endpoint in lower case, with its port and one name for this machine.
  private static func canonical(_ endpoint: String) -> String {
    var text = endpoint.lowercased()[...]
    let isSecure = text.hasPrefix("https://")
    text = text.drop { $0 != "/" }.drop { $0 == "/" }
    while text.hasSuffix("/") { text.removeLast() }
    // The colon of a port comes behind the bracket of an IPv6 address.
    let colon = text.lastIndex(of: ":").flatMap { at in text[at...].contains("]") ? nil : at }
    var host = colon.map { text[..<$0] } ?? text
    let port = colon.map { text[text.index(after: $0)...] } ?? (isSecure ? "443" : "80")
    while host.hasSuffix(".") { host.removeLast() }
    let isHere = host == thisMachine || isLoopback(host) || host == "[::1]" || host == "0.0.0.0"
    return "\(isHere ? thisMachine : String(host)):\(port)"
  }

  /// Whether a host is an address that begins with 127; a name may begin so, too.
  private static func isLoopback(_ host: Substring) -> Bool {
    let numbers = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (2...4).contains(numbers.count) && numbers[0].elementsEqual("127".utf8)
      && numbers.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }

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
