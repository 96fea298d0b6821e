#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why the service could not be asked, or did not answer, as opposed to a `FirestoreError` that it answers.
///
/// It contains no token and no data of documents.
public struct FirestoreConnectionError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// What is to be done about it.
  public enum Kind: Sendable, Equatable {
    /// The endpoint, an ID or the credentials are wrong or missing.
    case configuration
    /// There was no connection, or no answer, until the limit of retries; it may succeed later.
    case unavailable
    /// The answer is not one of the service.
    case unexpectedAnswer
  }

  /// What is to be done about it.
  public var kind: Kind
  /// What failed and why, in one line.
  public var description: String

  /// Makes an error.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// The ``description``.
  public var errorDescription: String? { description }
}
