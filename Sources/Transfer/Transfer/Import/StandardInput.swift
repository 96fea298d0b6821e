import Files
import FirestoreModels
import Platform
import Runs

/// Tables on standard input and in pipes, kept in files while they are imported: they are read more than once.
struct StandardInput {
  /// The sources, with the files in the places of what can be read only once.
  private(set) var sources: [ImportSource]
  private var files: [String] = []

  /// Copies standard input and pipes into the folder of a run where tables come from them.
  ///
  /// - Throws: ``Failure``.
  static func keep(_ sources: [ImportSource], in run: RunDirectory) throws(Failure) -> StandardInput {
    var kept = StandardInput(sources: sources)
    do throws(Failure) {
      for (index, source) in sources.enumerated() where source.format == .csv && source.isStream {
        let path = run.file(source.path == "-" ? "standard-input.csv" : "input-\(index + 1).csv")
        kept.sources[index].path = path
        kept.files.append(path)
        try copy(source.path, to: path)
      }
    } catch {
      // It may hold people's data, and nobody reads half of it.
      kept.remove()
      throw error
    }
    return kept
  }

  private static func copy(_ source: String, to path: String) throws(Failure) {
    var input = try InputFile(source)
    let output = try AppendOnlyFile(path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { return }
      try output.append(Array(buffer[..<count]))
    }
  }

  /// Removes the files.
  func remove() {
    for file in files { unlink(file) }
  }
}
