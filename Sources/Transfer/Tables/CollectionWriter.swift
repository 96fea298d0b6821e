package import FirestoreModels

/// Writes the documents of one collection, in order.
///
/// It is not `Sendable`: one task feeds a writer, or several in turn. A writer that is dropped before
/// ``finish()`` leaves nothing behind.
package protocol CollectionWriter: AnyObject {
  /// The number of documents written so far.
  var documentCount: Int { get }

  /// Appends a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer cannot be used again.
  func append(contentsOf documents: [RawDocument]) throws(Failure)

  /// Completes the output; a file is then complete under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  func finish() throws(Failure)
}

extension CollectionWriter {
  /// Appends one document.
  package func append(_ document: RawDocument) throws(Failure) {
    try append(contentsOf: [document])
  }
}
