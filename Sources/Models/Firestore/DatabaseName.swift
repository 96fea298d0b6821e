/// A database: a project and the database's id in it.
public struct DatabaseName: Hashable, Sendable, CustomStringConvertible {
  /// The project's id.
  public let project: String
  /// The database's id; `(default)` is a literal id.
  public let database: String

  /// Makes a name of its two parts.
  public init(project: String, database: String = "(default)") {
    self.project = project
    self.database = database
  }

  /// Parses `projects/P/databases/D`; nil where the text is not that.
  public init?(parsing text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "projects", parts[2] == "databases", !parts[1].isEmpty,
      !parts[3].isEmpty
    else { return nil }
    self.init(project: String(parts[1]), database: String(parts[3]))
  }

  /// `projects/P/databases/D`.
  public var description: String { "projects/\(project)/databases/\(database)" }

  /// `projects/P/databases/D/documents`, the parent of the root collections.
  public var documents: String { "\(description)/documents" }

  /// The full resource name of a document.
  public func name(of path: DocumentPath) -> String { "\(documents)/\(path.string)" }

  /// The path of a document by its full name, nil where the name lies in another database or is no document's.
  public func path(ofName name: String) -> DocumentPath? {
    let prefix = "\(documents)/"
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    return DocumentPath(String(Substring(name.utf8.dropFirst(prefix.utf8.count))))
  }

  /// Splits a full document name into its database and path; nil where it is not one.
  public static func split(_ name: String) -> (database: DatabaseName, path: DocumentPath)? {
    let parts = name.split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents",
      !parts[1].isEmpty, !parts[3].isEmpty, let path = DocumentPath(String(parts[5]))
    else { return nil }
    return (DatabaseName(project: String(parts[1]), database: String(parts[3])), path)
  }
}
