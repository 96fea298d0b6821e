package import Files
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

  /// Appends a page of documents, decoded or not.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, or that of a document that cannot be decoded.
  func append(_ page: DocumentPage) throws(Failure)

  /// The complete file; nil before ``finish()``, and where the file has several writers.
  var receipt: OutputFile.Receipt? { get }

  /// The columns as field paths, without the name; nil unless it is a CSV file.
  var columnPaths: [String]? { get }

  /// Completes the output; a file is then complete under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  func finish() throws(Failure)
}

extension CollectionWriter {
  package var receipt: OutputFile.Receipt? { nil }
  package var columnPaths: [String]? { nil }

  /// Appends the documents of a page after decoding them.
  package func append(_ page: DocumentPage) throws(Failure) { try append(contentsOf: page.documents()) }

  package func append(_ document: RawDocument) throws(Failure) { try append(contentsOf: [document]) }
}
