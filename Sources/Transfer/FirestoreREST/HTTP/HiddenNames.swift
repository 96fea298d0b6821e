// What may be said about a database whose documents leave it masked: a message of the service, an ID or a value may name
// people.

extension ServiceCaller {
  /// Returns a failure as it may be shown.
  func shown(_ failure: CallFailure) -> CallFailure { hidesNames ? failure.withoutNames : failure }

  /// Returns the path of a collection as it may be shown.
  func shown(_ path: CollectionPath) -> String { (hidesNames ? path.pattern : path).string }

  /// Returns the path of a document as it may be shown; without IDs, it is that of its collection.
  func shown(_ path: DocumentPath) -> String { hidesNames ? path.collection.pattern.string : path.string }
}

extension CallFailure {
  /// The same failure, from which the same follows, without any text of the response.
  fileprivate var withoutNames: CallFailure {
    let hidden = "the response is wrong; what is wrong may name people, and is not shown"
    switch self {
    case .service(var error):
      error.hidesMessage = true
      return .service(error)
    case .malformed: return .malformed(hidden)
    case .unreadable: return .unreadable(hidden)
    case .foreign: return .foreign(hidden)
    case .transport, .notSent: return self
    }
  }
}
