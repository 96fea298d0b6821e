import FirestoreREST

extension RunContext {
  /// Rejects the deletion of a document that has subcollections.
  func reject(deletionOf path: DocumentPath, leaving ids: [String]) throws(Failure) {
    let what = "the document has subcollections, which would be left without it"
    let message = "\(what): \(ids.joined(separator: ", "))"
    try reject(path, code: "has-subcollections", message: message, fields: nil)
  }
}
