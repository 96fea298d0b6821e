/// A line that was cut off and is directly followed by a complete one, because writing continued.
///
/// Only braces, quotes and backslashes are examined; the caller parses the result.
package enum TornLine {
  /// Returns where the complete object after a torn one begins; nil if the line is damaged in another way.
  package static func restart(in line: UnsafeRawBufferPointer) -> Int? {
    // An object that spans the line but is invalid JSON was not cut off.
    guard let start = startOfLastObject(in: line), start > 0 else { return nil }
    return isBeginning(UnsafeRawBufferPointer(rebasing: line[..<start])) ? start : nil
  }

  /// Returns the start of the object that ends with the line.
  ///
  /// The scan runs backwards, because only from the end is it known which quotes enclose text.
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

  /// Whether the bytes are the beginning of an object, or exactly one object.
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
