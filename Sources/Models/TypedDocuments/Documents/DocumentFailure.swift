#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why a document of a response could not be decoded.
///
/// It contains names of fields and types but no values, and can be logged.
public struct DocumentFailure: LocalizedError, Sendable, Equatable, CustomStringConvertible {
  /// The document name; nil if the response has none.
  public var name: String?
  /// The index of the document in the response, from 0.
  public var index: Int
  /// The location in the document, outermost first: `["fields", "tags", "[2]"]`.
  public var location: [String]
  /// Why it could not be decoded, without data.
  public var reason: String

  /// Creates a failure from its parts.
  public init(name: String?, index: Int, location: [String] = [], reason: String) {
    self.name = name
    self.index = index
    self.location = location
    self.reason = reason
  }

  package init(name: String?, index: Int, error: any Error) {
    let (location, reason) = Self.explain(error)
    self.init(name: name, index: index, location: location, reason: reason)
  }

  /// One line with the document, the location and the reason.
  public var description: String {
    let prefix = location.isEmpty ? "" : "\(location.joined(separator: ".")): "
    return "\(name ?? "document \(index)"): \(prefix)\(reason)"
  }

  /// The ``description``.
  public var errorDescription: String? { description }

  /// Returns the location and the reason of an error; the text of foreign errors may quote data and is omitted.
  private static func explain(_ error: any Error) -> (location: [String], reason: String) {
    switch error {
    case let error as WireError: return (error.location, error.reason)
    case let error as DecodingError:
      let (context, reason): (DecodingError.Context, String) =
        switch error {
        case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
        case .valueNotFound(let type, let context): (context, "there is no \(type)")
        case .typeMismatch(let type, let context): (context, "it is not of the type \(type)")
        case .dataCorrupted(let context): (context, "it is not a valid value of its type")
        @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "it cannot be read")
        }
      let safeReason = (context.underlyingError as? CodingFault)?.reason
      return (context.codingPath.map(\.stringValue), safeReason ?? reason)
    default: return ([], "its type rejects it (\(type(of: error)))")
    }
  }
}
