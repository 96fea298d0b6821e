import FirestoreModels

/// Why one document of an answer could not be read: which, where in it, and what was expected.
///
/// It names fields and types, never what a field holds, so it may be logged.
package struct DocumentFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The document's name; nil where the answer has none.
  package var name: String?
  /// The document's place in the answer, from 0.
  package var index: Int
  /// The place in the document, outermost first: `["fields", "tags", "[2]"]`.
  package var location: [String]
  /// What is wrong there.
  package var reason: String

  /// Makes a failure.
  package init(name: String?, index: Int, location: [String] = [], reason: String) {
    self.name = name
    self.index = index
    self.location = location
    self.reason = reason
  }

  init(name: String?, index: Int, error: any Error) {
    let (location, reason) = Self.explain(error)
    self.init(name: name, index: index, location: location, reason: reason)
  }

  /// One line for a person.
  package var description: String {
    let place = location.isEmpty ? "" : "\(location.joined(separator: ".")): "
    return "\(name ?? "document \(index)"): \(place)\(reason)"
  }

  /// Place and reason of an error; the text of one that is not ours may quote data and is left out.
  private static func explain(_ error: any Error) -> (location: [String], reason: String) {
    switch error {
    case let error as WireError: return (error.location, error.reason)
    case let error as DecodingError:
      let (context, reason): (DecodingError.Context, String) =
        switch error {
        case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
        case .valueNotFound(let type, let context): (context, "there is no \(type)")
        case .typeMismatch(let type, let context): (context, "it is no \(type)")
        case .dataCorrupted(let context): (context, "it is none of the values that its type has")
        @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "it cannot be read")
        }
      let own = (context.underlyingError as? CodingFault)?.reason
      return (context.codingPath.map(\.stringValue), own ?? reason)
    default: return ([], "its type refuses it (\(type(of: error)))")
    }
  }
}
