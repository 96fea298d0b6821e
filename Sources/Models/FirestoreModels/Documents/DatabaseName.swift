/// The name of a database: a project ID and a database ID.
public struct DatabaseName: Hashable, Sendable, CustomStringConvertible {
  /// The project ID.
  public let project: String
  /// The database ID; `(default)` is a literal ID.
  public let database: String

  /// Creates a name without checking the IDs.
  public init(project: String, database: String = "(default)") {
    self.project = project
    self.database = database
  }

  /// Parses `projects/P/databases/D`; nil for any other text.
  public init?(parsing text: String) {
    guard let (name, remainder) = Self.head(of: text), remainder == nil else { return nil }
    self = name
  }

  /// `projects/P/databases/D`.
  public var description: String { "projects/\(project)/databases/\(database)" }

  /// `projects/P/databases/D/documents`, the parent of the root collections.
  public var documents: String { "\(description)/documents" }

  /// Whether a text is usable as a project or database ID in a name.
  ///
  /// It must have 1 to 255 bytes and no slash, white space or control character, and must not be `.` or `..`, which a URL would
  /// resolve.
  package static func isPart(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && !text.isIdentical(to: ".") && !text.isIdentical(to: "..")
      && text.unicodeScalars.allSatisfy {
        // ASCII is decided without Unicode's tables.
        if $0.isASCII { return $0.value > 0x20 && $0.value != 0x7F && $0 != "/" }
        return !$0.properties.isWhitespace && $0.properties.generalCategory != .control
      }
  }

  /// What ``isPart(_:)`` accepts, for messages.
  package static let partDescription = "an id of at most 255 bytes without slashes and white space"

  /// Whether the service accepts the database ID.
  ///
  /// Valid are `(default)` and 4 to 63 lower-case letters, digits and hyphens that begin with a letter, do
  /// not end with a hyphen and are not a UUID (https://firebase.google.com/docs/firestore/manage-databases).
  package var hasValidID: Bool {
    let hyphen = UInt8(ascii: "-")
    let utf8 = Array(database.utf8)
    if utf8.elementsEqual("(default)".utf8) { return true }
    return (4...63).contains(utf8.count) && utf8[0].isASCIISmallLetter && utf8[utf8.count - 1] != hyphen
      && utf8.allSatisfy { $0.isASCIISmallLetter || $0.isASCIIDigit || $0 == hyphen }
      && !database.withBytes(\.isUUID)
  }

  /// The full resource name of a document.
  public func name(of path: DocumentPath) -> String { "\(documents)/\(path.string)" }

  /// The path of a document in this database by its full name; nil for any other name.
  public func path(ofName name: String) -> DocumentPath? {
    let prefix = "\(documents)/"
    guard name.utf8.starts(with: prefix.utf8) else { return nil }
    return DocumentPath(String(Substring(name.utf8.dropFirst(prefix.utf8.count))))
  }

  /// Splits a full document name into its database and path; nil for any other text.
  public static func split(_ name: String) -> (database: DatabaseName, path: DocumentPath)? {
    guard let (database, remainder) = head(of: name), let remainder, remainder.utf8.starts(with: ofDocuments),
      let path = DocumentPath(String(Substring(remainder.utf8.dropFirst(ofDocuments.count))))
    else { return nil }
    return (database, path)
  }

  /// Whether a text begins as the full name of a document does; if it names none, it is no path of its own, either.
  package static func beginsName(_ text: String) -> Bool {
    head(of: text)?.remainder?.utf8.starts(with: ofDocuments) ?? false
  }

  private static let ofProjects = "projects/".utf8
  private static let ofDocuments = "documents/".utf8

  /// Splits a name into its database and what follows the next slash.
  private static func head(of name: String) -> (database: DatabaseName, remainder: Substring?)? {
    // Most names of documents in files are short ones.
    guard name.utf8.starts(with: ofProjects) else { return nil }
    // Bytes, because a slash followed by a combining mark is a different Character.
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[2].elementsEqual("databases".utf8), !parts[1].isEmpty, !parts[3].isEmpty
    else { return nil }
    let database = DatabaseName(project: String(Substring(parts[1])), database: String(Substring(parts[3])))
    return (database, parts.count == 5 ? Substring(parts[4]) : nil)
  }
}
