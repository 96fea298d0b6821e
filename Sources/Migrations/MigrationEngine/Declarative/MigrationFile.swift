import Configuration
import Files
import FirestoreREST
package import Schema
import YAML

/// A migration in a YAML file.
///
///     id: members-phone
///     summary: Writes the phones of members with digits only.
///     collection: members
///     where: status == active
///     steps:
///       - digits: phone
package struct MigrationFile {
  private let yaml: YAMLFile
  private let context: LiteralContext
  private let reservedIDs: [String]
  private let schema: DatabaseSchema
  private let allowsSchemaBreaks: Bool

  /// - Parameters:
  ///   - path: The path of the file.
  ///   - context: Resolves `ref(…)` and `ts(DATE)`.
  ///   - reservedIDs: The IDs of the built-in migrations, which no file may have.
  ///   - allowsSchemaBreaks: As ``DeclarativeMigration/allowsSchemaBreaks``.
  package init(
    _ path: String,
    in context: LiteralContext,
    reservedIDs: [String],
    schema: DatabaseSchema,
    allowsSchemaBreaks: Bool = false
  ) {
    yaml = YAMLFile(path, kind: .inputMalformed, operation: Self.operation)
    self.context = context
    self.reservedIDs = reservedIDs
    self.schema = schema
    self.allowsSchemaBreaks = allowsSchemaBreaks
  }

  /// Whether an argument names a file rather than a built-in migration.
  package static func isFile(_ argument: String) -> Bool {
    [.yaml, .yml].contains(FileName(argument).kind)
  }

  /// Whether a text is valid as the ID of a migration: up to 100 lower-case letters, digits and hyphens.
  package static func isID(_ text: String) -> Bool {
    let isGood = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return isGood && text.utf8.first != UInt8(ascii: "-") && (1...100).contains(text.utf8.count)
  }

  /// The IDs that `fix`, `delete` and plan files have in the ledger.
  static let reserved = ["fix", "delete", "soft-delete", "plan"]

  static let operation = "read the migration"

  /// Reads a file of at most 1 MiB.
  ///
  /// - Throws: `.inputMissing` if it cannot be read, and as ``parse(_:)``.
  package func read() throws(Failure) -> DeclarativeMigration { try parse(try yaml.bytes()) }

  /// Parses the bytes of the file.
  ///
  /// - Throws: `.inputMalformed` with the line and column of the error.
  package func parse(_ bytes: [UInt8]) throws(Failure) -> DeclarativeMigration {
    var migration = try migration(try root(of: bytes))
    migration.checksum = try Self.checksum(of: bytes, migration)
    return migration
  }

  /// Reads a file in a folder of migrations, which may also just refer to a built-in migration (`uses: ID`).
  ///
  /// - Parameters:
  ///   - name: Its name in the folder.
  ///   - known: The built-in migrations.
  /// - Throws: As ``read()``.
  package static func folderMigration(
    _ path: String,
    named name: String,
    in context: LiteralContext,
    known: [any Migration],
    schema: DatabaseSchema
  ) throws(Failure) -> FolderMigration {
    let ids = known.map(\.id)
    let file = MigrationFile(path, in: context, reservedIDs: ids, schema: schema, allowsSchemaBreaks: true)
    let bytes = try file.yaml.bytes()
    let root = try file.root(of: bytes)
    let header = try file.header(root)
    var migration: FolderMigration
    if let used = try file.used(root, of: known) {
      migration = FolderMigration(name: name, id: used.id, summary: used.summary, choice: used.id)
    } else {
      let read = try file.migration(root)
      migration = FolderMigration(name: name, id: read.id, summary: read.summary, choice: path)
      migration.checksum = try checksum(of: bytes, read)
      migration.programs = read.program?.files ?? []
    }
    migration.header = header
    return migration
  }

  /// The checksum of a file, combined with that of the program it runs.
  private static func checksum(
    of bytes: [UInt8],
    _ migration: DeclarativeMigration
  ) throws(Failure) -> String {
    let program = migration.program.map { Array("\0\($0.checksum)".utf8) } ?? []
    return try SHA256Digest.checksum(of: bytes + program)
  }

  // MARK: Members

  private static let known = [
    "id", "summary", "collection", "collection-group", "where", "touch", "allow-immutable", "steps",
  ]
  /// The members of the header, which defines the migration's place in a folder.
  private static let headers = ["after", "environments", "irreversible"]
  private static let all = known + headers + ["uses"]

  private func root(of bytes: [UInt8]) throws(Failure) -> YAMLNode {
    try yaml.parse(try yaml.text(of: bytes), allowsAliases: false)
  }

  private func members(_ root: YAMLNode, known: [String] = Self.all) throws(Failure) -> [String: YAMLNode] {
    var members: [String: YAMLNode] = [:]
    for (name, _, value) in try yaml.members(root, "a migration", known: known) { members[name] = value }
    return members
  }

  private func header(_ root: YAMLNode) throws(Failure) -> MigrationHeader {
    let members = try members(root)
    var header = MigrationHeader()
    header.after = try texts(members["after"], "after")
    header.environments = try texts(members["environments"], "environments")
    header.irreversible = try members["irreversible"].map { node throws(Failure) in
      PlainText.tidied(try yaml.text(node, "irreversible"))
    }
    return header
  }

  private func texts(_ node: YAMLNode?, _ name: String) throws(Failure) -> [String] {
    guard let node else { return [] }
    return try items(node, "'\(name)'").map { item throws(Failure) in try yaml.text(item, name) }
  }

  /// Returns the built-in migration that the file refers to; nil for any other file.
  private func used(_ root: YAMLNode, of known: [any Migration]) throws(Failure) -> (any Migration)? {
    guard let node = try members(root)["uses"] else { return nil }
    _ = try members(root, known: Self.headers + ["uses"])
    let id = try yaml.text(node, "uses")
    if let found = known.first(where: { $0.id.isIdentical(to: id) }) { return found }
    let names = known.isEmpty ? "none do" : known.map(\.id).joined(separator: ", ")
    throw yaml.failure(at: node, "no migration '\(id)' comes along with the schema in use: \(names)")
  }

  private func migration(_ root: YAMLNode) throws(Failure) -> DeclarativeMigration {
    let members = try members(root)
    if let node = members["uses"] {
      let id = try yaml.text(node, "uses")
      throw yaml.failure(at: node, "the file only gives '\(id)' its place in a folder: name that instead")
    }
    func required(_ name: String, _ what: String) throws(Failure) -> YAMLNode {
      guard let node = members[name] else { throw yaml.failure(at: root, "'\(name)' is missing: \(what)") }
      return node
    }
    let id = try self.id(try required("id", "a name, as members-phone"))
    let summary = try self.summary(try required("summary", "one sentence"))
    var scope = try self.scope(members["collection"], members["collection-group"], root)
    if let node = members["where"] { scope.filters = [try filter(node, of: scope)] }
    let touch = try members["touch"].map { node throws(Failure) in try yaml.boolean(node, "touch") } ?? true
    let (steps, nodes) = try self.steps(try required("steps", "a list of what is done"))
    var migration = DeclarativeMigration(
      id: id,
      summary: summary,
      scope: scope,
      steps: steps,
      touch: touch,
      schema: schema
    )
    if let node = members["allow-immutable"] {
      migration.allowsImmutable = try yaml.boolean(node, "allow-immutable")
    }
    migration.allowsSchemaBreaks = allowsSchemaBreaks
    if let (index, cause) = migration.problem { throw yaml.failure(at: nodes[index], cause) }
    return migration
  }

  private func id(_ node: YAMLNode) throws(Failure) -> String {
    let id = try yaml.text(node, "id")
    guard MigrationFile.isID(id) else {
      throw yaml.failure(at: node, "'id' is up to 100 small letters, digits and hyphens, as members-phone")
    }
    if (MigrationFile.reserved + reservedIDs).contains(where: { $0.isIdentical(to: id) }) {
      throw yaml.failure(at: node, "'\(id)' is a migration of gymmigrate's own")
    }
    return id
  }

  private func summary(_ node: YAMLNode) throws(Failure) -> String {
    let summary = PlainText.tidied(try yaml.text(node, "summary"))
    if summary.isEmpty { throw yaml.failure(at: node, "'summary' is a text") }
    return summary
  }

  private func scope(
    _ collection: YAMLNode?,
    _ group: YAMLNode?,
    _ root: YAMLNode
  ) throws(Failure) -> DeclarativeMigration.Scope {
    guard let node = collection ?? group else {
      throw yaml.failure(
        at: root,
        "'collection' or 'collection-group' is missing: the documents that are meant"
      )
    }
    if collection != nil, let group {
      throw yaml.failure(at: group, "there is a 'collection' already; a migration is about one or the other")
    }
    let isGroup = collection == nil
    let text = try yaml.text(node, isGroup ? "collection-group" : "collection")
    guard let path = CollectionPath(text) else {
      throw yaml.failure(at: node, "'\(text)' is not the path of a collection, as users or groups/g1/members")
    }
    if let problem = DeclarativeMigration.problem(of: path, isGroup: isGroup) {
      throw yaml.failure(at: node, problem)
    }
    if !isGroup, CollectionSelection([text], isDeep: false).wantsRoots {
      throw yaml.failure(
        at: node,
        "'\(text)' is a pattern of root collections, which a file does not take; name one collection, or a pattern below it, as groups/*/members"
      )
    }
    return DeclarativeMigration.Scope(path, isGroup: isGroup)
  }

  private func filter(
    _ node: YAMLNode,
    of scope: DeclarativeMigration.Scope
  ) throws(Failure) -> StructuredQuery.Filter {
    var filters: [StructuredQuery.Filter] = []
    for item in try items(node, "'where'") {
      guard let text = item.text, !text.isEmpty else {
        throw yaml.failure(at: item, "a filter is a text, as role == admin")
      }
      do throws(WireError) {
        let filter = try FilterExpression.parse(text, in: context)
        if let name = filter.names.first(where: { !scope.covers($0.collection) }) {
          throw WireError("__name__ is compared with \(name), which is no document of \(scope.collection)")
        }
        filters.append(filter)
      } catch {
        throw yaml.failure(at: item, "\(error)")
      }
    }
    let all: StructuredQuery.Filter = filters.count == 1 ? filters[0] : .and(filters)
    if let violation = all.violation { throw yaml.failure(at: node, "together, \(violation)") }
    return all
  }

  /// Returns the items of a list that must not be empty; a single value counts as a list of one.
  private func items(_ node: YAMLNode, _ what: String) throws(Failure) -> [YAMLNode] {
    guard case .sequence(let items) = node.content else { return [node] }
    if items.isEmpty { throw yaml.failure(at: node, "\(what) is an empty list") }
    return items
  }

  // MARK: Steps

  /// Reads the steps, each with its position in the file.
  private func steps(_ node: YAMLNode) throws(Failure) -> ([MigrationStep], [YAMLNode]) {
    guard case .sequence = node.content else {
      throw yaml.failure(at: node, "'steps' is a list, as - trim: email")
    }
    var steps: [MigrationStep] = []
    var nodes: [YAMLNode] = []
    for item in try items(node, "'steps'") {
      let made = try StepReader(yaml: yaml, context: context).steps(item)
      steps += made
      nodes += Array(repeating: item, count: made.count)
    }
    return (steps, nodes)
  }
}
