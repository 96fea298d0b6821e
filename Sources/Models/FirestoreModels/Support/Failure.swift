/// An error that ends a command or rejects a document: the operation, its subject, the cause and the remedy.
///
/// Every layer throws this one type, so that a single place maps errors to exit codes. It never carries a
/// token or field data; ``path`` names a document, a file or a setting.
///
///     throw Failure(
///       .inputMissing,
///       "open the file",
///       path: "users.csv",
///       cause: "no such file",
///       remedy: "Check the path."
///     )
///     // cannot open the file users.csv: no such file. Check the path.
package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure; each maps to one exit code (see `gymmigrate help`).
  package enum Kind: String, Sendable, CaseIterable {
    /// The command line is invalid.
    case usage
    /// Input exists but is malformed.
    case inputMalformed
    /// Input does not exist.
    case inputMissing
    /// The service is unavailable after all retries.
    case unavailable
    /// A defect of this program, or document counts that do not balance.
    case `internal`
    /// Output cannot be created or written.
    case cannotWrite
    /// A lock is held or a quota is exhausted: the same command may succeed later.
    case tryLater
    /// The credentials do not permit it, or a safety check refuses it.
    case notPermitted
    /// The configuration or the credentials are invalid or missing.
    case configuration
    /// A signal stopped the run.
    case interrupted
    /// The service permanently refuses one document or one request.
    case rejected
  }

  /// A position in a table: the record by its first line, and the cell, both counted from 1.
  package struct Record: Sendable, Equatable {
    package var line: Int
    /// The cell; nil for the entire record.
    package var column: Int?
    /// The row number in a spreadsheet, where line breaks within cells start no new row; nil to use the line.
    package var row: Int?

    package init(line: Int, column: Int? = nil, row: Int? = nil) {
      self.line = line
      self.column = column
      self.row = row
    }
  }

  /// A bound on the bill, by how it can be raised.
  package enum Bound: Sendable {
    /// An option, which whoever resumes may give again.
    case option
    /// The configured one of a run, which only an edit of the file raises.
    case run
    /// The configured one of a day, which is another one tomorrow.
    case day
  }

  package var kind: Kind
  /// What failed, as a verb phrase: "read the page of users".
  package var operation: String
  /// The document, file, collection or setting.
  package var path: String?
  /// Why it failed, in one line.
  package var cause: String
  /// What the user can do, in one sentence.
  package var remedy: String?
  /// The service's error, if there is one.
  package var service: FirestoreError?
  /// Whether the request itself is refused, so that repeating it would fail again.
  package var isRefusal = false
  /// Whether a response exceeded the size limit, so that a smaller request may succeed.
  package var isBodyTooLarge = false
  /// Whether a response could not be decoded, so that others may still be readable.
  package var isUnreadable = false
  /// The kinds of bounds on the bill that the next request might exceed.
  package var bounds: Set<Bound> = []
  /// Other failures found along with this one.
  package var others: [Failure] = []
  /// The record that could not be parsed, if reading can continue with the next one.
  package var record: Record?

  package var isOfBound: Bool { !bounds.isEmpty }

  package init(
    _ kind: Kind,
    _ operation: String,
    path: String? = nil,
    cause: String,
    remedy: String? = nil,
    service: FirestoreError? = nil
  ) {
    self.kind = kind
    self.operation = operation
    self.path = path
    self.cause = cause
    self.remedy = remedy
    self.service = service
  }

  /// Returns the failure with another remedy.
  package func advising(_ remedy: String) -> Failure {
    var failure = self
    failure.remedy = remedy
    return failure
  }

  /// One line: "cannot read the configuration gymmigrate.yaml: line 3, column 5: …. Do this."
  package var description: String {
    if others.isEmpty { return sentence }
    let own = sentence.hasSuffix(".") ? sentence : "\(sentence)."
    return "\(own) Besides: \(others.map(\.description).joined(separator: "; "))"
  }

  /// The description for people, one line per failure.
  package var lines: [String] { [sentence] + others.flatMap(\.lines) }

  /// This failure as one sentence, without ``others``.
  private var sentence: String {
    var text = "cannot \(operation)"
    if let path { text += path.isEmpty ? " ''" : " \(path)" }
    text += ": \(cause)"
    if let remedy {
      if !text.hasSuffix("."), !text.hasSuffix("?") { text += "." }
      text += " \(remedy)"
    }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
