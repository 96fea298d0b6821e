import FirestoreREST
import Logging
import Schema

/// The requested fields that no exported document has had so far, so that their columns are empty.
///
/// Fields that a declared collection does not have are reported elsewhere.
final class UnmetFields {
  private var fields: [FieldPath] = []
  private var hasDocuments = false

  init(_ options: Export.Options, _ schema: DatabaseSchema) {
    let areDeclared = options.reads.allSatisfy { read in
      switch read.reach {
      case .group: !schema.declared(inGroup: read.collection.id).isEmpty
      case .subcollections: false
      case .collection, .pattern: schema.collection(read.collection) != nil
      }
    }
    // Other parts may have what one part lacks, and transformed documents have other fields than stored ones.
    if areDeclared || options.isPart || options.transform != nil { return }
    fields = (options.fields ?? []).filter { $0 != .documentName }
  }

  /// Looks for the fields in exported documents.
  ///
  /// - Throws: The errors of ``DocumentPage/documents()``.
  func look(at page: DocumentPage) throws(Failure) {
    if fields.isEmpty || page.count == 0 { return }
    hasDocuments = true
    switch page {
    case .memory(let documents): for document in documents { remove(from: document) }
    case .wire(let page):
      for document in page.documents where mayHaveOne(document) { remove(from: try page.decoded(document)) }
    }
  }

  private func remove(from document: RawDocument) {
    fields.removeAll { document.fields[$0] != nil }
  }

  /// Whether a document may have one of the fields, so that it has to be decoded.
  private func mayHaveOne(_ document: WireDocument) -> Bool {
    if fields.isEmpty { return false }
    guard var members = try? document.fields().makeIterator() else { return true }
    while let (name, _) = members.next() {
      let isWanted = fields.contains { field in
        name.withBytes { $0.elementsEqual(field.segments[0].utf8) }
      }
      if isWanted { return true }
    }
    return false
  }

  /// Warns of fields that no document had, after all have been exported.
  func warn(_ reads: [CollectionRead], at readTime: Timestamp?, in context: RunContext) async {
    if fields.isEmpty || !hasDocuments { return }
    let known = await Self.names(in: reads, at: readTime, context)
    for field in fields {
      let meant = field.description.nearest(of: known).map { " Did you mean '\($0)'?" } ?? ""
      context.logger.warning("No document that was exported has the field '\(field)'.\(meant)")
    }
  }

  /// The fields of the first document of the first collection.
  private static func names(
    in reads: [CollectionRead],
    at readTime: Timestamp?,
    _ context: RunContext
  ) async -> [String] {
    guard let read = reads.first, read.reach == .collection else { return [] }
    var look = CollectionRead(read.collection, pageSize: 1, readTime: readTime)
    look.readsAhead = false
    var pages = context.client.quickly.pages(of: look).makeAsyncIterator()
    guard let document = try? await pages.next()?.first else { return [] }
    return document.fields.entries.map { FieldPath(field: $0.name).description }
  }
}
