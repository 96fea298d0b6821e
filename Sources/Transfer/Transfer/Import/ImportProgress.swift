import Files
import FirestoreModels
import Platform
import Tables

/// How much of what is imported has been read, as a share of the bytes of all files.
struct ImportProgress: Sendable, Equatable {
  /// Bytes of each input; none where it is not known of all of them, as of standard input.
  private let sizes: [Int]
  /// Documents that are imported at most.
  private let limit: Int?

  /// Makes a meter.
  ///
  /// - Parameters:
  ///   - sizes: Bytes of each input, nil where they are not known.
  ///   - limit: Documents that are imported at most; all where nil.
  init(_ sizes: [Int?], limit: Int? = nil) {
    let known = sizes.compactMap { $0 }
    self.sizes = known.count == sizes.count && known.contains { $0 > 0 } ? known : []
    self.limit = limit
  }

  /// The share that has been read, from 0 to 1; nil where it is not known.
  ///
  /// - Parameters:
  ///   - stage: The input that is being read.
  ///   - position: Bytes of it that have been read.
  ///   - documents: Documents so far, which come to their limit perhaps before the files end.
  func share(stage: Int, position: Int, documents: Int = 0) -> Double? {
    guard sizes.indices.contains(stage) else { return nil }
    let read = sizes[..<stage].reduce(0, +) + min(position, sizes[stage])
    let share = Double(read) / Double(sizes.reduce(0, +))
    return limit.map { max(share, min(1, Double(documents) / Double(max($0, 1)))) } ?? share
  }
}

extension ImportSource {
  /// Bytes that are read of it: those of the file, of a sheet those of its part of the workbook; nil where that is not
  /// known, as of a pipe.
  var size: Int? {
    guard path != "-", let status = SystemCall.status(path).status, status.isRegularFile else { return nil }
    guard format == .xlsx else { return Int(status.st_size) }
    guard let package = try? XLSXPackage(path),
      let part = package.sheets.first(where: { $0.name.isIdentical(to: sheet ?? "") })?.part
    else { return nil }
    return (try? ZIPEntry.packedBytes(of: part, in: path)) ?? nil
  }
}
