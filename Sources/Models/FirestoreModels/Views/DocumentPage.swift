/// A page of documents, either in memory or still in the parsed response.
package enum DocumentPage: Sendable {
  case memory([RawDocument])
  case wire(WirePage)

  package var count: Int {
    switch self {
    case .memory(let documents): documents.count
    case .wire(let page): page.documents.count
    }
  }

  /// Returns the documents in memory.
  ///
  /// - Throws: ``Failure`` for a document of a response that cannot be decoded.
  package func documents() throws(Failure) -> [RawDocument] {
    switch self {
    case .memory(let documents): documents
    case .wire(let page): try page.decoded()
    }
  }

  package func prefix(_ count: Int) -> DocumentPage {
    switch self {
    case .memory(let documents): .memory(Array(documents.prefix(count)))
    case .wire(let page): .wire(page.prefix(count))
    }
  }

  package func forEachPath(_ body: (DocumentPath) -> Void) {
    switch self {
    case .memory(let documents): for document in documents { body(document.path) }
    case .wire(let page): for document in page.documents { body(document.path) }
    }
  }
}

/// A document in parsed JSON whose fields are not decoded.
///
/// Its path is already checked; its fields are checked when they are accessed. It borrows the parser's buffers.
package struct WireDocument {
  package let path: DocumentPath
  let json: JSONCursor
  /// The member `fields`; nil if there is none.
  let content: JSONCursor?

  /// The fields, undecoded.
  ///
  /// - Throws: ``WireError`` if they have to be decoded instead; see ``WirePage/decoded(_:)``.
  package func fields() throws(WireError) -> WireFields { try WireFields(content, depth: 0) }
}

/// The documents of a response, and the parser that holds them.
///
/// Tasks may pass it on, but only one may use it at a time.
package struct WirePage: @unchecked Sendable {
  // The cursors borrow the parser's buffers, which the owner keeps alive; all of them move together.
  package private(set) var documents: ArraySlice<WireDocument>
  private let owner: any AnyObject & Sendable
  private let failure: @Sendable (WireError) -> Failure

  /// - Parameters:
  ///   - owner: The object that keeps the parser from being reused.
  ///   - failure: Returns the failure for a document that cannot be decoded.
  package init(
    _ documents: [WireDocument],
    owner: any AnyObject & Sendable,
    failure: @escaping @Sendable (WireError) -> Failure
  ) {
    self.documents = documents[...]
    self.owner = owner
    self.failure = failure
  }

  func prefix(_ count: Int) -> WirePage {
    var page = self
    page.documents = documents.prefix(count)
    return page
  }

  func decoded() throws(Failure) -> [RawDocument] {
    var decoder = WireDecoder()
    return try documents.map { document throws(Failure) in try decoded(document, with: &decoder) }
  }

  /// Decodes a document whose fields could not be viewed undecoded.
  ///
  /// - Throws: The failure of a document that cannot be decoded either, with the location of the defect.
  package func decoded(_ document: WireDocument) throws(Failure) -> RawDocument {
    var decoder = WireDecoder()
    return try decoded(document, with: &decoder)
  }

  private func decoded(
    _ document: WireDocument,
    with decoder: inout WireDecoder
  ) throws(Failure) -> RawDocument {
    do throws(WireError) {
      return try decoder.document(document)
    } catch {
      throw failure(error)
    }
  }
}
