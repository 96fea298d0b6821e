/// Merges two streams of documents in the order of their names: documents in only one of them, and documents in both.
///
/// It holds the documents that were pushed but not yet consumed, which is about two pages. It reads nothing itself.
package struct NameMerge {
  package enum Side: Sendable {
    case from, to
  }

  package enum Step: Sendable, Equatable {
    /// More documents of a stream, or its end, are needed.
    case needs(Side)
    /// A document that only one stream has.
    case only(Side, RawDocument)
    /// A document that both streams have, as in `from` and as in `to`.
    case both(RawDocument, RawDocument)
    /// Both streams have ended.
    case finished
  }

  private struct Lane {
    var documents: ArraySlice<RawDocument> = []
    var last: DocumentPath?
    var isEnded = false
  }

  private var from = Lane()
  private var to = Lane()

  /// Adds the next documents of a stream.
  ///
  /// - Throws: `.internal` if they are not in the order of their names, so that the result would be wrong.
  mutating func push(_ documents: [RawDocument], to side: Side) throws(Failure) {
    var last = self[side].last
    for document in documents {
      if let last, !(last < document.path) {
        throw Failure(
          .internal,
          "compare the documents of",
          path: document.path.collection.pattern.string,
          cause: "they were not in the order of their names"
        )
      }
      last = document.path
    }
    self[side].documents += documents
    self[side].last = last
  }

  /// Marks the end of a stream.
  mutating func end(_ side: Side) { self[side].isEnded = true }

  private subscript(side: Side) -> Lane {
    get { side == .from ? from : to }
    _modify {
      if side == .from { yield &from } else { yield &to }
    }
  }

  mutating func next() -> Step {
    switch (from.documents.first, to.documents.first) {
    case (nil, _) where !from.isEnded: return .needs(.from)
    case (_, nil) where !to.isEnded: return .needs(.to)
    case (nil, nil): return .finished
    case (let document?, nil):
      from.documents.removeFirst()
      return .only(.from, document)
    case (nil, let document?):
      to.documents.removeFirst()
      return .only(.to, document)
    case (let a?, let b?):
      if a.path < b.path {
        from.documents.removeFirst()
        return .only(.from, a)
      }
      if b.path < a.path {
        to.documents.removeFirst()
        return .only(.to, b)
      }
      from.documents.removeFirst()
      to.documents.removeFirst()
      return .both(a, b)
    }
  }

  /// Merges two streams that are read page by page.
  ///
  /// - Parameters:
  ///   - next: Returns the next page of a stream, or nil at its end.
  ///   - body: Receives each document of one or both streams.
  package static func run(
    _ next: (Side) async throws -> [RawDocument]?,
    _ body: (Step) async throws -> Void
  ) async throws {
    var merge = NameMerge()
    while true {
      let step = merge.next()
      switch step {
      case .needs(let side):
        try Task.checkCancellation()
        if let page = try await next(side) { try merge.push(page, to: side) } else { merge.end(side) }
      case .finished: return
      case .only, .both: try await body(step)
      }
    }
  }
}
