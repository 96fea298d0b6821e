import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Wire properties", .bothParsers)
struct WirePropertyTests {
  @Test func encodeDecodeEncode() throws {
    for seed in UInt64(1)...40 {
      var random = RandomDocuments(seed: seed)
      for round in 0..<25 {
        let document = random.document()
        let once = Wire.encoded(document)
        let read = try Wire.document(once.utf8, unknownMembers: .refused)
        let twice = Wire.encoded(read)
        #expect(read == document, "seed \(seed), round \(round)")
        #expect(twice.isIdentical(to: once), "seed \(seed), round \(round)")
      }
    }
  }

  /// The oracle is Foundation's parser: it must decode exactly the original text.
  @Test func everyTextIsEscapedAsJSONWantsIt() throws {
    for seed in UInt64(100)..<140 {
      var random = RandomDocuments(seed: seed)
      // Foundation drops a byte order mark at the start of a string and after an escape.
      let texts = (0..<50).map { _ in
        String(String.UnicodeScalarView(random.text(upTo: 40).unicodeScalars.filter { $0 != "\u{FEFF}" }))
      }
      var json = JSONWriter()
      json.array { list in
        for text in texts { list.string(text) }
        for text in texts {
          list.object {
            $0.key(text); $0.null()
          }
        }
      }
      let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [Any])
      #expect(parsed.count == 100, "seed \(seed)")
      for (index, text) in texts.enumerated() {
        let value = parsed[index] as? String
        let key = (parsed[50 + index] as? [String: Any])?.keys.first
        #expect(value?.isIdentical(to: text) == true, "seed \(seed), text \(index)")
        #expect(key?.isIdentical(to: text) == true, "seed \(seed), key \(index)")
      }
    }
  }

  @Test func aByteOrderMarkIsKept() throws {
    #expect(
      Wire.encoded(.string("\u{FEFF}\"\u{FEFF}")).utf8.elementsEqual(
        #"{"stringValue":"\#u{FEFF}\"\#u{FEFF}"}"#.utf8
      )
    )
    #expect(try Wire.value(#"{"stringValue":"\#u{FEFF}\"\#u{FEFF}"}"#) == .string("\u{FEFF}\"\u{FEFF}"))
  }

  @Test func everyScalarIsEscapedAsJSONWantsIt() throws {
    for plane in UInt32(0)...16 {
      // Includes noncharacters and unassigned scalars: they are valid Unicode.
      let scalars = stride(from: plane << 16, to: (plane + 1) << 16, by: plane == 0 ? 1 : 97)
        .compactMap { Unicode.Scalar($0) }
      var text = ""
      // Separators prevent adjacent scalars from composing.
      for scalar in scalars {
        text.unicodeScalars.append(scalar)
        text += "|"
      }
      var json = JSONWriter()
      json.array { $0.string(text) }
      let parsed = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String]
      #expect(parsed?.first?.isIdentical(to: text) == true, "plane \(plane)")
    }
  }

  /// The oracle is `strtod`: the shortest text must restore the same bits.
  @Test func everyFiniteDoubleIsWrittenExactly() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<5000 {
      let number = Double(bitPattern: random.next())
      guard number.isFinite else { continue }
      var json = JSONWriter()
      json.double(number)
      let text = String(decoding: json.bytes, as: UTF8.self)
      #expect(strtod(text, nil).bitPattern == number.bitPattern, "\(text)")
    }
  }
}
