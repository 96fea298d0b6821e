#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The error of several writes, of which the service refused some; the others were made.
public struct FirestoreWriteError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// A document that was not written.
  public struct Rejection: Sendable, Equatable {
    /// The document ID.
    public var id: String
    /// Why the service refused it.
    public var error: FirestoreError
  }

  /// The number of documents that were written.
  public var written: Int
  /// The documents that were not written, in the order of the responses; at least one.
  public var rejections: [Rejection]

  /// One line with the number of rejections and the first of them.
  public var description: String {
    let first = rejections.first.map { ", such as '\($0.id)': \($0.error)" } ?? ""
    return "\(rejections.count) of \(written + rejections.count) documents were refused\(first)"
  }

  /// The ``description``.
  public var errorDescription: String? { description }
}
