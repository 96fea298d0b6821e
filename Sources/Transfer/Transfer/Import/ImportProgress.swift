import Platform
import Tables

/// The progress of an import, as a share of the bytes of all files.
struct ImportProgress: Sendable, Equatable {
  /// The sizes of the inputs in bytes; empty if not all of them are known.
  private let sizes: [Int]
  /// The maximum number of documents.
  private let limit: Int?

  /// Creates the progress of some inputs.
  ///
  /// - Parameters:
  ///   - sizes: The size of each input in bytes; nil if unknown, as for standard input.
  ///   - limit: The maximum number of documents; nil for all.
  init(_ sizes: [Int?], limit: Int? = nil) {
    let known = sizes.compactMap { $0 }
    self.sizes = known.count == sizes.count && known.contains { $0 > 0 } ? known : []
    self.limit = limit
  }

  /// Returns the share that has been read, from 0 to 1; nil if unknown.
  ///
  /// - Parameters:
  ///   - stage: The index of the current input.
  ///   - position: The number of bytes of it that have been read.
  ///   - documents: The number of documents so far, which may reach the limit before the files end.
  func share(stage: Int, position: Int, documents: Int = 0) -> Double? {
    guard sizes.indices.contains(stage) else { return nil }
    return share(read: sizes[..<stage].reduce(0, +) + min(position, sizes[stage]), documents: documents)
  }

  /// Returns the share that has been read; nil if unknown.
  ///
  /// - Parameter read: The number of bytes of all inputs that have been read.
  func share(read: Int, documents: Int = 0) -> Double? {
    if sizes.isEmpty { return nil }
    let share = min(1, Double(read) / Double(sizes.reduce(0, +)))
    return limit.map { max(share, min(1, Double(documents) / Double(max($0, 1)))) } ?? share
  }
}

extension ImportSource {
  /// The number of bytes to read: the size of the file, or of the sheet's part of the workbook; nil if unknown, as for a
  /// pipe.
  func size(via files: FileAccess) -> Int? {
    if let managed, !managed.isPart { return managed.bytes }
    guard format == .xlsx else {
      return path == "-" ? nil : (try? files.size(of: path)) ?? nil
    }
    return try? opening { path throws(Failure) -> Int? in
      let part = try XLSXPackage(path).sheets.first { $0.name.isIdentical(to: sheet ?? "") }?.part
      return try part.flatMap { part throws(Failure) in try ZIPEntry.packedBytes(of: part, in: path) }
    }
  }
}
