#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type of `id` that identifies a document: `String`, the `String?` of a `@DocumentID`, or `UUID`.
public protocol DocumentIdentifier: Hashable, Sendable {
  /// The document ID; nil for a document that does not have one yet.
  var documentID: String? { get }
}

extension String: DocumentIdentifier {
  /// The string itself.
  public var documentID: String? { self }
}

extension UUID: DocumentIdentifier {
  /// The upper-case text of the UUID, as `Codable` writes it.
  public var documentID: String? { uuidString }
}

extension Optional: DocumentIdentifier where Wrapped == String {
  /// The string, if there is one.
  public var documentID: String? { self }
}

/// Returns a document ID like those of the SDKs: 20 random letters and digits.
func newDocumentID() -> String {
  let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
  return String((0..<20).map { _ in characters[Int.random(in: characters.indices)] })
}
