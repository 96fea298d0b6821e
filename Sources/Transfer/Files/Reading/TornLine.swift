/// A line that a file was cut off in, with the next one right behind it because the file was written to all the same.
///
/// What is called an object here are its braces, quotes and backslashes; whoever asks parses what is found.
package enum TornLine {
  /// Where in a line that is no JSON the whole object begins that stands behind a torn one; nil where the line is damaged
  /// otherwise.
  package static func restart(in line: UnsafeRawBufferPointer) -> Int? {
    // An object from end to end that is no JSON was not cut off.
    guard let start = startOfLastObject(in: line), start > 0 else { return nil }
    return isBeginning(UnsafeRawBufferPointer(rebasing: line[..<start])) ? start : nil
  }

  /// Where the object begins that ends with the line, looked for from the end, where what is text is known.
  private static func startOfLastObject(in line: UnsafeRawBufferPointer) -> Int? {
    guard line.last == UInt8(ascii: "}") else { return nil }
    var depth = 0
    var isText = false
    var index = line.count
    while index > 0 {
      index -= 1
      switch line[index] {
      case UInt8(ascii: "\""):
        var backslashes = 0
        while index - backslashes > 0, line[index - backslashes - 1] == UInt8(ascii: "\\") {
          backslashes += 1
        }
        if backslashes % 2 == 0 { isText.toggle() }
      case UInt8(ascii: "}") where !isText: depth += 1
      case UInt8(ascii: "{") where !isText:
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
    }
    return nil
  }

  /// Whether bytes are the beginning of an object, all of it at the most.
  private static func isBeginning(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.first == UInt8(ascii: "{") else { return false }
    var depth = 0
    var isText = false
    var isEscaped = false
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch byte {
      case UInt8(ascii: "\\") where isText: isEscaped = true
      case UInt8(ascii: "\""): isText.toggle()
      case UInt8(ascii: "{") where !isText: depth += 1
      case UInt8(ascii: "}") where !isText:
        depth -= 1
        if depth == 0 { return index == bytes.count - 1 }
      default: break
      }
    }
    return true
  }
}
