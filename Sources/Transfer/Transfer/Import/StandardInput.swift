import Files
import FirestoreModels
import Platform
import Runs

/// Temporary copies of tables on standard input and in pipes, which are read more than once.
struct StandardInput {
  /// The sources, with copies in place of those that can be read only once.
  private(set) var sources: [ImportSource]
  private var files: [String] = []

  /// Copies tables on standard input and in pipes into the run directory.
  ///
  /// - Throws: ``Failure``.
  static func keep(_ sources: [ImportSource], in run: RunDirectory) throws(Failure) -> StandardInput {
    var input = StandardInput(sources: sources)
    do throws(Failure) {
      for (index, source) in sources.enumerated() where source.format == .csv && source.isStream {
        let path = run.file(source.path == "-" ? "standard-input.csv" : "input-\(index + 1).csv")
        input.sources[index].path = path
        input.files.append(path)
        try copy(source.path, to: path)
      }
    } catch {
      // An incomplete copy is of no use and may hold personal data.
      input.remove()
      throw error
    }
    return input
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

  func remove() {
    for file in files { unlink(file) }
  }
}
