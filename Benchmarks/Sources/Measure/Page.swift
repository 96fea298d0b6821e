import CReference
import FirestoreModels
import Platform

/// A page of `documents.list` as the service sends it with `prettyPrint=false`.
struct Page {
  static let database = "projects/bench-project/databases/bench/documents/"

  let json: [UInt8]
  let count: Int

  /// Makes a page of the first documents of a JSON Lines file.
  init?(file: String, count: Int) {
    guard let stream = fopen(file, "r") else { return nil }
    defer { fclose(stream) }
    var out = Array("{\"documents\":[".utf8)
    var taken = 0
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { free(line) }
    while taken < count {
      let length = getline(&line, &room, stream)
      guard length > 0, let line else { break }
      var text = String(decoding: UnsafeRawBufferPointer(start: line, count: length), as: UTF8.self)
      while text.last?.isNewline == true { text.removeLast() }
      // The line ends in `,"name":"members/…"}`: the full name and the times take its place.
      let mark = ",\"name\":\""
      guard let name = text.lastRange(of: mark) else { return nil }
      if taken > 0 { out.append(UInt8(ascii: ",")) }
      out += "{\"name\":\"\(Self.database)\(text[name.upperBound...].dropLast(1))".utf8
      out += ",\(text[..<name.lowerBound].dropFirst())".utf8
      out +=
        ",\"createTime\":\"2024-11-12T01:44:43.123456Z\",\"updateTime\":\"2025-02-03T04:05:06.789012Z\"}".utf8
      taken += 1
    }
    out += "],\"nextPageToken\":\"AFTOeJxY\"}".utf8
    json = out
    self.count = taken
  }
}

extension String {
  fileprivate func lastRange(of mark: String) -> Range<String.Index>? { ranges(of: mark).last }
}
