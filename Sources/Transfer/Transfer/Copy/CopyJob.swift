package import FirestoreREST
package import Schema
import TypedDocuments

/// The collections of a job over two databases: given paths and patterns, all, or the catalogues of the schema.
package struct SelectionSettings: Codable, Sendable, Equatable {
  package var collections: [String] = []
  package var all = false
  package var catalogues = false
  package var failIfEmpty = false

  package init() {}

  /// Resolves the settings to a selection.
  ///
  /// - Throws: `.usage` if the schema has no catalogues.
  package func selection(isDeep: Bool, _ schema: DatabaseSchema) throws(Failure) -> CollectionSelection {
    CollectionSelection(try names(schema), isDeep: isDeep)
  }

  /// The paths and patterns; nil for all root collections.
  private func names(_ schema: DatabaseSchema) throws(Failure) -> [String]? {
    if all { return nil }
    if !catalogues { return collections }
    if schema.catalogues.isEmpty {
      throw Failure(
        .usage,
        "choose the catalogues",
        path: schema.name,
        cause: "the schema declares no collection a catalogue",
        remedy: "Name the collections, or add 'catalogue: true' to them."
      )
    }
    return schema.catalogues.map(\.string)
  }
}

/// A copy as specified on the command line or in a record.
package struct CopyJob: Job {
  package static let kind = "copy"

  package var selection: SelectionSettings
  /// The write mode, which decides about existing documents.
  package var mode = WriteMode.create
  /// Whether subcollections are copied; nil means yes unless there is a filter.
  package var subcollections: Bool?
  /// Filters as typed.
  package var filters: [String] = []
  package var timeZone: String?
  /// The maximum number of documents per collection, including those of its subcollections; nil for all.
  package var limit: Int?
  @Text package var readTime = ReadTimeChoice.pinned
  /// Whether documents of the copied collections that the source does not have are deleted in the target.
  package var deletesExtraneous = false
  /// The maximum number of deletions; a copy that would exceed it does not start.
  package var maximumDeletes: Int?
  /// Whether URLs of files in the source's bucket are rewritten to the target's bucket.
  package var rewritesStorageURLs = false
  /// Whether personal data may leave a protected environment.
  package var keepsPersonalData = false
  /// Whether each document is read back after it is written, and the source is counted at the end.
  package var verifies = false
  package var mask: MaskSettings?
  package var subset: SubsetSettings?
  package var reading = ReadingSettings()
  /// Whether to only read, compare and count.
  package var isDryRun = false

  package init(_ selection: SelectionSettings) { self.selection = selection }

  package var name: String { Self.kind }
  package var writes: Bool { !isDryRun }

  /// Leaves out the filters of a masked copy, which may name people.
  package func shown(_ words: [String]) -> [String] {
    mask == nil || subset == nil ? words : words.map(SubsetRoot.withoutFilter)
  }

  /// The subset of the copy, with its roots as typed.
  ///
  /// - Throws: `.configuration` if they are sealed, and the key in the file is not the one that the job started with.
  package func openedSubset() throws(Failure) -> SubsetSettings? {
    guard let mask, var subset else { return subset }
    subset.roots = try mask.opened(subset.roots)
    return subset
  }

  /// The options of the copy except the filter, which is parsed for the source's database.
  package func options(_ schema: DatabaseSchema) throws(Failure) -> Copy.Options {
    let selection = try selection.selection(isDeep: subcollections ?? filters.isEmpty, schema)
    return Copy.Options(job: self, selection: selection, mask: try mask?.mask(by: schema))
  }
}
