import FirestoreModels
import TestSupport
import Testing

@testable import LocalFirestore

@Suite struct NameKeyTests {
  @Test func keysAreAsWrittenDown() {
    #expect(NameKey.key("ab") == [2, 0x61, 0x62, 0, 1])
    #expect(NameKey.key("a/b") == [2, 0x61, 0, 1, 2, 0x62, 0, 1])
    #expect(NameKey.key("a\u{0}") == [2, 0x61, 0, 255, 0, 1])
    #expect(NameKey.key("__id7__") == [1, 0x80, 0, 0, 0, 0, 0, 0, 7])
    #expect(NameKey.key("__id-1__") == [1, 0x7F, 255, 255, 255, 255, 255, 255, 255])
    #expect(NameKey.key("") == [])
  }

  /// The oracle is the order of ``DocumentPath``.
  @Test func keysOrderAsPathsDo() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SplitMix64(seed: seed)
    let alphabet = ["a", "b", "aa", "a\u{0}", "\u{0}", "é", "😀", "__id3__", "__id-9__", "__id30__", "_", "~"]
    let paths = (0..<300).compactMap { _ in
      DocumentPath(
        (0..<2 * Int.random(in: 1...3, using: &random)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        }.joined(separator: "/")
      )
    }
    for (a, b) in zip(paths, paths.dropFirst()) {
      let order = ValueOrder.compare(NameKey.key(a.string), NameKey.key(b.string))
      #expect((order < 0) == (a < b) && (order == 0) == (a == b), "\(a) \(b), seed \(seed)")
      #expect(Self.path(of: NameKey.key(a.string)).isIdentical(to: a.string), "seed \(seed)")
    }
  }

  /// The path whose segments a key encodes.
  private static func path(of key: [UInt8]) -> String {
    key.withUnsafeBytes { bytes in
      var segments: [String] = []
      var offset = 0
      while let (id, end) = NameKey.segment(of: bytes, at: offset) {
        segments.append(id)
        offset = end
      }
      return segments.joined(separator: "/")
    }
  }

  @Test func aRangeBelowHoldsDescendantsAlone() {
    let range = KeyRange(below: NameKey.key("a/b"))
    func holds(_ path: String) -> Bool {
      let key = NameKey.key(path)
      return ValueOrder.compare(range.lower, key) <= 0 && ValueOrder.compare(key, range.upper) < 0
    }
    #expect(holds("a/b/c/d") && holds("a/b/__id-9223372036854775808__/x") && holds("a/b/\u{10FFFF}/x"))
    #expect(!holds("a/b") && !holds("a/ba/c/d") && !holds("a/b\u{0}/c/d") && !holds("a/a/c/d"))
  }
}
