/// How a pull reads a root collection.
enum PullMode: Sendable, Equatable {
  /// Every document, including those of subcollections.
  case whole
  /// The documents whose field has a time since a mark; other changes are noticed only by the number of documents.
  case since(FieldPath, Timestamp)

  /// Decides how to read.
  ///
  /// - Parameters:
  ///   - field: The time of the last change; nil if there is none.
  ///   - former: The time of the last change by which the mark was set.
  ///   - mark: The time up to which the collection was pulled; nil if it was not, or if that is not known.
  ///   - hasTimes: Whether any document of the mirror has a time in the field.
  ///   - isFull: Whether everything must be read in any case.
  init(_ field: FieldPath?, former: FieldPath?, mark: Timestamp?, hasTimes: Bool, isFull: Bool) {
    if let mark, let field, field == former, hasTimes, !isFull {
      self = .since(field, mark)
    } else {
      self = .whole
    }
  }

  /// Returns the mark for the next pull: earlier than the read time, by as much as clocks and late commits may differ.
  ///
  /// The service rounds `REQUEST_TIME` down to milliseconds.
  static func mark(readTime: Timestamp, overlap: Int64) -> Timestamp? {
    Timestamp(
      seconds: readTime.seconds - overlap,
      nanoseconds: readTime.nanoseconds / 1_000_000 * 1_000_000
    )
  }
}
