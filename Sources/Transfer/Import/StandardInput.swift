import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A table on standard input, kept in a file while it is imported: it is read more than once.
struct StandardInput {
  /// The sources, with the file in the place of standard input.
  private(set) var sources: [ImportSource]
  private var file: String?

  /// Copies standard input into the folder of a run where a table comes from it.
  ///
  /// - Throws: ``Failure``.
  static func keep(_ sources: [ImportSource], in run: RunDirectory) throws(Failure) -> StandardInput {
    var kept = StandardInput(sources: sources)
    guard let index = sources.firstIndex(where: { $0.path == "-" && $0.format == .csv }) else { return kept }
    let path = run.file("standard-input.csv")
    kept.sources[index].path = path
    kept.file = path
    do throws(Failure) {
      var input = try InputFile("-")
      let output = try AppendOnlyFile(path)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
      defer { buffer.deallocate() }
      while true {
        let count = try input.read(into: buffer)
        if count == 0 { return kept }
        try output.append(Array(buffer[..<count]))
      }
    } catch {
      // It may hold people's data, and nobody reads half of it.
      kept.remove()
      throw error
    }
  }

  /// Removes the file.
  func remove() {
    if let file { unlink(file) }
  }
}
