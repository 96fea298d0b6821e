package import FirestoreModels

/// Takes the documents of one collection in the order in which they come and writes them somewhere.
///
/// Not `Sendable`: one task feeds a writer. Several writers may be fed in turns. A writer that is dropped before
/// ``finish()`` leaves nothing behind.
package protocol CollectionWriter: AnyObject {
  /// The documents taken so far.
  var documentCount: Int { get }

  /// Takes a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer is of no more use then.
  func append(contentsOf documents: [RawDocument]) throws(Failure)

  /// Says that no document follows; a file of its own is complete under its final name when this returns.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  func finish() throws(Failure)
}

extension CollectionWriter {
  /// Takes one document.
  package func append(_ document: RawDocument) throws(Failure) {
    try append(contentsOf: [document])
  }
}
