public import Models
import Yams

/// The environments that a user can name: those of `gymmigrate.yaml`, else the built-in ones.
///
///     project: sajarubox            # for every environment that names none
///     environments:
///       test: { database: test }
///       prod:
///         database: prod
///         protected: true
///         credentials: keys/prod.json
public struct Configuration: Sendable, Equatable {
  /// The environments by name, in the order in which they are listed.
  public var environments: [Environment]
  /// The file that they come from; nil for the built-in ones.
  public var file: String?

  /// Makes a configuration.
  public init(environments: [Environment], file: String? = nil) {
    self.environments = environments
    self.file = file
  }

  private static let builtInProject = "sajarubox"

  /// What holds where there is no file.
  public static let builtIn = Configuration(environments: [
    Environment(name: "test", database: DatabaseName(project: builtInProject, database: "test")),
    Environment(name: "stage", database: DatabaseName(project: builtInProject, database: "stage")),
    Environment(
      name: "prod",
      database: DatabaseName(project: builtInProject, database: "prod"),
      isProtected: true
    ),
    Environment(name: "legacy", database: DatabaseName(project: builtInProject, database: "(default)")),
    local(project: builtInProject),
  ])

  private static func local(project: String) -> Environment {
    Environment(name: Environment.localName, database: DatabaseName(project: project, database: "local"))
  }

  /// The environment of a name.
  ///
  /// - Throws: `.configuration` naming those that are known.
  public func environment(named name: String) throws(Failure) -> Environment {
    if let found = environments.first(where: { $0.name == name }) { return found }
    throw Failure(
      .configuration,
      "use the environment",
      path: name,
      cause: "it is not one of \(environments.map(\.name).joined(separator: ", "))",
      remedy: file.map { "Add it to \($0)." }
        ?? "Add it to gymmigrate.yaml, or give --project and --database."
    )
  }

  // MARK: Parsing

  /// Parses `gymmigrate.yaml`.
  ///
  /// - Parameters:
  ///   - text: The YAML.
  ///   - file: Its path, for errors; relative credentials are taken from its folder.
  /// - Throws: `.configuration` with the line and column of what is wrong.
  public init(parsing text: String, file: String) throws(Failure) {
    func failure(_ mark: Mark?, _ cause: String) -> Failure {
      let place = mark.map { "line \($0.line), column \($0.column): " } ?? ""
      return Failure(.configuration, "read the configuration", path: file, cause: place + cause)
    }
    let root: Node
    do {
      guard let node = try Yams.compose(yaml: text) else { throw failure(nil, "it is empty") }
      root = node
    } catch let error as Failure {
      throw error
    } catch let error as YamlError {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        throw failure(mark, problem)
      case .duplicatedKeysInMapping(let names, let context):
        throw failure(
          context.mark,
          "of this map, \(names.map { "'\($0)'" }.joined(separator: ", ")) stands twice"
        )
      default: throw failure(nil, "it is not valid YAML")
      }
    } catch {
      throw failure(nil, "\(error)")
    }

    func members(_ node: Node, _ what: String, known: [String]?) throws(Failure) -> [(key: Node, value: Node)]
    {
      guard case .mapping(let mapping) = node else {
        throw failure(node.mark, "\(what) is a map of names to values")
      }
      var seen: Set<String> = []
      var list: [(key: Node, value: Node)] = []
      for (key, value) in mapping {
        guard let name = key.string else { throw failure(key.mark, "a name is a text") }
        if let known, !known.contains(name) {
          throw failure(key.mark, "\(what) has no '\(name)'; it has \(known.joined(separator: ", "))")
        }
        guard seen.insert(name).inserted else { throw failure(key.mark, "'\(name)' stands twice") }
        list.append((key, value))
      }
      return list
    }
    func scalar(_ node: Node, _ name: String) throws(Failure) -> String {
      guard let text = node.string, !text.isEmpty else { throw failure(node.mark, "'\(name)' is a text") }
      return text
    }

    var project: String?
    var entries: [(key: Node, value: Node)] = []
    for (key, value) in try members(root, "the file", known: ["project", "environments"]) {
      if key.string == "project" {
        project = try scalar(value, "project")
      } else {
        entries = try members(value, "'environments'", known: nil)
      }
    }
    var environments: [Environment] = []
    for (key, value) in entries {
      let name = key.string ?? ""
      var own = project
      var database: String?
      var environment = Environment(name: name, database: DatabaseName(project: ""))
      let known = ["project", "database", "endpoint", "protected", "credentials"]
      for (key, value) in try members(value, "an environment", known: known) {
        switch key.string {
        case "project"?: own = try scalar(value, "project")
        case "database"?: database = try scalar(value, "database")
        case "endpoint"?:
          let endpoint = try scalar(value, "endpoint")
          do throws(Failure) {
            environment.endpoint = try Self.checkedEndpoint(endpoint)
          } catch {
            throw failure(value.mark, error.cause)
          }
        case "protected"?:
          guard let flag = value.bool else { throw failure(value.mark, "'protected' is true or false") }
          environment.isProtected = flag
        default: environment.credentials = Self.path(try scalar(value, "credentials"), besides: file)
        }
      }
      guard let own else {
        throw failure(key.mark, "'\(name)' has no project, and the file names none for all")
      }
      environment.database = DatabaseName(
        project: own,
        database: database ?? (name == Environment.localName ? "local" : "(default)")
      )
      environments.append(environment)
    }
    if environments.isEmpty { throw failure(root.mark, "it names no environments") }
    if !environments.contains(where: { $0.name == Environment.localName }) {
      environments.append(Self.local(project: project ?? Self.builtInProject))
    }
    self.environments = environments
    self.file = file
  }

  /// Scheme, host and port without a slash at the end.
  ///
  /// - Throws: `.usage` where it is not that.
  public static func checkedEndpoint(_ text: String) throws(Failure) -> String {
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
        cause: "an endpoint is scheme, host and port, as https://firestore.googleapis.com, without /v1"
      )
    }
    return endpoint
  }

  /// Whether a text is a name, an IPv4 address or an IPv6 address in brackets, and perhaps a port.
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
      guard host.allSatisfy({ isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else {
        return false
      }
    } else {
      if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
        port = host[host.index(after: colon)...]
        host = host[..<colon]
      }
      let others = "-._".utf8
      guard host.allSatisfy({ isLetterOrDigit($0) || others.contains($0) }) else { return false }
    }
    if let port {
      guard port.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(String(port) ?? ""),
        (1...65_535).contains(number)
      else { return false }
    }
    return !host.isEmpty
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }

  private static func path(_ path: String, besides file: String) -> String {
    guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
    return file[...slash] + path
  }
}
