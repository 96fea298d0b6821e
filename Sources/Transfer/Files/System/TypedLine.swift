/// A line that is typed on standard input.
package enum TypedLine {
  /// Returns the next line without its line feed; nil at the end.
  ///
  /// - Throws: `.interrupted` if a signal arrives first.
  package static func read() throws(Failure) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      // Reads one byte at a time, because the bytes after the line belong to the next reader.
      let (count, error, isStopped) = withUnsafeMutableBytes(of: &byte) {
        SystemCall.readUnlessStopped(0, into: $0)
      }
      if isStopped { throw Failure.stopped("read", "the answer") }
      if count == 0 || error != 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }
}
