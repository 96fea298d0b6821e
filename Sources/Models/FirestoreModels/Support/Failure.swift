/// An error that ends a command or rejects a document: what was being done, where, why, and what to do about it.
///
/// Every layer throws this one type, so that the command line has one place that maps errors to exit codes. It
/// never carries a token or field data; `path` names a document, a file or a setting.
package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The classes of failure; each has one exit code (see `gymmigrate help`).
  package enum Kind: String, Sendable, CaseIterable {
    /// The command line is wrong.
    case usage
    /// Input is there but cannot be understood.
    case inputMalformed
    /// Input is not there.
    case inputMissing
    /// The service did not answer, after all retries.
    case unavailable
    /// A defect of ours, or accounts that do not add up.
    case `internal`
    /// Output cannot be created or written.
    case cannotWrite
    /// Somebody else holds the lock, or a quota is spent: the same command may work later.
    case tryLater
    /// The credentials do not allow it, or a guard refuses it.
    case notPermitted
    /// The configuration or the credentials are wrong or missing.
    case configuration
    /// Stopped by a signal.
    case interrupted
    /// The service refuses one document or one request for good.
    case rejected
  }

  /// A record of a table, by the line that it begins in and its cell, both from 1.
  package struct Record: Sendable, Equatable {
    /// The line.
    package var line: Int
    /// The cell; nil where it is the record as a whole.
    package var column: Int?

    /// Names a record, or a cell of it.
    package init(line: Int, column: Int? = nil) {
      self.line = line
      self.column = column
    }
  }

  /// The class.
  package var kind: Kind
  /// What was being done, as a verb phrase: "read the page of users".
  package var operation: String
  /// The document, file, collection or setting concerned.
  package var path: String?
  /// Why it failed, one line.
  package var cause: String
  /// What the user can do, one sentence.
  package var remedy: String?
  /// What the service said, where the service failed it.
  package var service: FirestoreError?
  /// Whether an answer was larger than is accepted, so that asking for less may help.
  package var isBodyTooLarge = false
  /// The record that could not be taken apart, where reading may go on with the next one.
  package var record: Record?

  /// Makes a failure.
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

  /// One line: "cannot read the configuration gymmigrate.yaml: line 3, column 5: …. Do this."
  package var description: String {
    var text = "cannot \(operation)"
    if let path { text += " \(path)" }
    text += ": \(cause)"
    if let remedy {
      if !text.hasSuffix(".") { text += "." }
      text += " \(remedy)"
    }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
