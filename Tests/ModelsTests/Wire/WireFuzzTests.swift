import FirestoreModels
import Foundation
import TestSupport
import Testing

/// Corrupted responses: any bytes yield a value or a ``WireError``, never a crash.
@Suite("Wire fuzz", .bothParsers)
struct WireFuzzTests {
  private static let inputs =
    ProcessInfo.processInfo.environment["GYMMIGRATE_FUZZ_INPUTS"].flatMap { Int($0) } ?? 20_000
  private static let seed: UInt64 = 20_260_102

  /// Small pages of documents as sent by the service, so that a flipped byte matters.
  private static func corpus() -> [[UInt8]] {
    var random = RandomDocuments(seed: seed)
    var pages: [[UInt8]] = []
    for size in [0, 1, 1, 2, 3, 5] {
      for _ in 0..<4 {
        var json = JSONWriter()
        json.object { page in
          page.key("documents")
          page.array { list in
            for _ in 0..<size { list.document(random.document(), in: DatabaseName(project: "p")) }
          }
          page.key("nextPageToken")
          page.string("token")
        }
        pages.append(json.bytes)
      }
    }
    pages.append(
      Array(#"[{"document":{"name":"a/b","fields":{"n":{"doubleValue":-0}}},"readTime":"x"}]"#.utf8)
    )
    pages.append(Array(#"{"error":{"code":404,"message":"…","status":"NOT_FOUND"}}"#.utf8))
    return pages
  }

  private static let tokens: [[UInt8]] = [
    "{", "}", "[", "]", "\"", ",", ":", "null", "true", "-0", "1e999", "99999999999999999999", "\\u0000",
    "\\ud800",
    #"{"nullValue":null}"#, #""mapValue":"#, #""values":[["#, #"{"arrayValue":{"values":["#, "\u{FEFF}",
  ].map { Array($0.utf8) }

  private static func mutate(_ bytes: inout [UInt8], from corpus: [[UInt8]], using random: inout SplitMix64) {
    func place(_ count: Int) -> Int { count == 0 ? 0 : Int.random(in: 0..<count, using: &random) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
        bytes[place(bytes.count)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    case 1: if !bytes.isEmpty { bytes[place(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
    case 2: bytes.removeLast(place(bytes.count))
    case 3:
      let start = place(bytes.count)
      bytes.removeSubrange(start..<min(bytes.count, start + place(40)))
    case 4: bytes.insert(contentsOf: tokens[place(tokens.count)], at: place(bytes.count))
    default:
      let other = corpus[place(corpus.count)]
      let start = place(other.count)
      let piece = other[start..<min(other.count, start + place(200))]
      bytes.insert(contentsOf: piece, at: place(bytes.count))
    }
  }

  @Test func anyBytesGiveAValueOrAnError() throws {
    let corpus = Self.corpus()
    var random = SplitMix64(seed: Self.seed)
    let parser = JSONParser(maximumBytes: 1 << 20)
    var decoder = WireDecoder()
    var read = 0
    var refused = 0
    for number in 0..<Self.inputs {
      var bytes = corpus[Int.random(in: 0..<corpus.count, using: &random)]
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        Self.mutate(&bytes, from: corpus, using: &random)
      }
      do throws(WireError) {
        let documents = try parser.parse(bytes) { root throws(WireError) in
          var documents: [RawDocument] = []
          let list = root["documents"] ?? root
          for element in list.elements {
            documents.append(
              try decoder.document(element["document"] ?? element, in: DatabaseName(project: "p"))
            )
          }
          return documents
        }
        // Decoded documents can be encoded and decoded again.
        for document in documents {
          let again = try Wire.document(Wire.encoded(document).utf8)
          #expect(again == document, "seed \(Self.seed), input \(number)")
        }
        read += 1
      } catch {
        #expect(!error.reason.isEmpty)
        refused += 1
      }
    }
    #expect(read + refused == Self.inputs)
    // Both outcomes must occur for the test to be meaningful.
    if Self.inputs >= 1000 {
      #expect(read > Self.inputs / 50 && refused > Self.inputs / 50, "read \(read), refused \(refused)")
    }
  }
}
