package import Files

/// Writes the documents of one collection, in order.
///
/// It is not `Sendable`: only one task at a time may use a writer. A writer that is dropped before ``finish()`` leaves no
/// files behind.
package protocol CollectionWriter: AnyObject {
  /// The number of documents written so far.
  var documentCount: Int { get }

  /// Appends a page of documents; a page of a response is written without decoding it.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, or that of a document that cannot be decoded; the writer is then
  ///   unusable.
  func append(_ page: DocumentPage) throws(Failure)

  /// The complete file; nil before ``finish()``, and if the file has several writers.
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

  package func append(contentsOf documents: [RawDocument]) throws(Failure) { try append(.memory(documents)) }

  package func append(_ document: RawDocument) throws(Failure) { try append(contentsOf: [document]) }
}
