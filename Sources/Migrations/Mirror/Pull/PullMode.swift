/// How a pull reads a root collection.
enum PullMode: Sendable, Equatable {
  /// Every document, and those of its subcollections.
  case whole
  /// The documents whose field has a time from a mark on. Others are found by their number alone.
  case since(FieldPath, Timestamp)

  /// Decides how to read.
  ///
  /// - Parameters:
  ///   - field: The time of the last change; nil where there is none.
  ///   - mark: How far it was pulled; nil where it was not, or where that is not known.
  ///   - hasTimes: Whether any document of the mirror has a time in the field.
  ///   - isFull: Whether all of it has to be read in any case.
  init(_ field: FieldPath?, mark: Timestamp?, hasTimes: Bool, isFull: Bool) {
    if let mark, let field, hasTimes, !isFull {
      self = .since(field, mark)
    } else {
      self = .whole
    }
  }

  /// The mark of the next pull: before the moment that was read, by what clocks and late commits may differ.
  ///
  /// The service rounds `REQUEST_TIME` down to milliseconds.
  static func mark(readTime: Timestamp, overlap: Int64) -> Timestamp? {
    Timestamp(
      seconds: readTime.seconds - overlap,
      nanoseconds: readTime.nanoseconds / 1_000_000 * 1_000_000
    )
  }
}
