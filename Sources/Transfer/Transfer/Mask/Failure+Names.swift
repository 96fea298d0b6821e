extension Failure {
  /// Returns the failure of a read without the names of documents, which may be personal data.
  package func withoutNames(in collection: CollectionPath) -> Failure {
    func isPlain(_ text: String) -> Bool { !text.utf8.contains(UInt8(ascii: "/")) }
    var hidden = self
    hidden.path = collection.pattern.string
    if !isPlain(operation) { hidden.operation = "read" }
    if !isPlain(cause) {
      hidden.cause = "the service refused it; its answer may name people, and is not shown"
      hidden.service = nil
    }
    return hidden
  }
}
