#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why the service could not be reached or did not respond, as opposed to a `FirestoreError` with which it responds.
///
/// It contains neither tokens nor document data.
public struct FirestoreConnectionError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// The kind of error, which determines what to do.
  public enum Kind: Sendable, Equatable {
    /// The endpoint, an ID or the credentials are wrong or missing.
    case configuration
    /// There was no connection, or no response, until the retry limit; a later attempt may succeed.
    case unavailable
    /// The response is not one of the service.
    case unexpectedAnswer
  }

  /// The kind of error, which determines what to do.
  public var kind: Kind
  /// What failed and why, in one line.
  public var description: String

  /// Creates an error.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// The ``description``.
  public var errorDescription: String? { description }
}
