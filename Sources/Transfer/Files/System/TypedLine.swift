package import FirestoreModels

/// What a person types on standard input.
package enum TypedLine {
  /// The next line without its end; nil where there is none.
  ///
  /// - Throws: `.interrupted` where a signal comes first.
  package static func read() throws(Failure) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      // One at a time: what is behind the line is for whoever reads next.
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
