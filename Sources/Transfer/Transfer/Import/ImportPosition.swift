import TypedDocuments

/// The position of an import: which files are open, and how far each has been read.
struct ImportPosition: JSONRecord {
  /// A file that has not been read to its end.
  struct Open: Codable, Sendable {
    var file: Int
    /// The number of the last line that was handed on.
    var line: Int
  }

  /// The first of the open files, and the last of its lines that was handed on.
  private(set) var (file, line) = (0, 0)
  /// The number of documents that were handed on.
  var documents = 0
  /// The references in those documents.
  var references = ReferenceRewriter.Counts()
  /// How many of the kept ones are in sources whose database is not known; nil at the beginning.
  var keptUnplaced: Int?
  /// The database of the first of these; nil if there is none yet.
  @Text var elsewhere: DatabaseName? = nil
  /// What was found in those documents; nil at the beginning, and in a checkpoint of an earlier version.
  var tally: ImportTally?
  /// The other open files, in order; nil for none.
  private var beside: [Open]?
  /// The first unopened file; nil if it directly follows ``file``.
  private var next: Int?

  var checkpoint: Checkpoint.State { Checkpoint.State(stage: file, at: self) }

  /// The open files.
  var open: [Open] { [Open(file: file, line: line)] + (beside ?? []) }

  /// The index of the first unopened file.
  var unopened: Int { next ?? file + 1 }

  /// Sets the positions of the open files; files before `next` that are not among them are complete.
  mutating func set(_ lines: [Int: Int], next: Int) {
    var open = lines.map { Open(file: $0.key, line: $0.value) }.sorted { $0.file < $1.file }
    let first = open.isEmpty ? Open(file: next, line: 0) : open.removeFirst()
    (file, line) = (first.file, first.line)
    beside = open.isEmpty ? nil : open
    self.next = max(next, file + 1) == file + 1 ? nil : next
  }
}
