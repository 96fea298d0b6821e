import TypedDocuments

/// How far an import is: which files are read, and how far each.
struct ImportPosition: JSONRecord {
  /// A file that is not read to its end.
  struct Open: Codable, Sendable {
    var file: Int
    /// The number of the last line that was passed on.
    var line: Int
  }

  /// The first of the files that are read, and the last of its lines that was passed on.
  private(set) var (file, line) = (0, 0)
  /// The number of documents that were passed on.
  var documents = 0
  /// The references in those documents.
  var references = ReferenceRewriter.Counts()
  /// The files that are read beside the first, in order; nil for none.
  private var beside: [Open]?
  /// The first file that nothing was read of, where it is not that behind ``file``.
  private var next: Int?

  var checkpoint: Checkpoint.State { Checkpoint.State(stage: file, at: self) }

  /// The files that are read.
  var open: [Open] { [Open(file: file, line: line)] + (beside ?? []) }

  /// The first file that nothing was read of.
  var unopened: Int { next ?? file + 1 }

  /// Sets how far the files are that are read; those before `next` that are not among them are done.
  mutating func set(_ lines: [Int: Int], next: Int) {
    var open = lines.map { Open(file: $0.key, line: $0.value) }.sorted { $0.file < $1.file }
    let first = open.isEmpty ? Open(file: next, line: 0) : open.removeFirst()
    (file, line) = (first.file, first.line)
    beside = open.isEmpty ? nil : open
    self.next = max(next, file + 1) == file + 1 ? nil : next
  }
}
