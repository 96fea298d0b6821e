import FirestoreModels
import Testing

@testable import Tables

@Suite("Entities of managed exports")
struct EntityTests {
  typealias Fill = @Sendable (inout ProtoWriter) -> Void

  /// A property of an entity.
  private static func property(
    _ name: String,
    meaning: UInt64 = 0,
    isElement: Bool = false,
    _ value: Fill = { _ in }
  ) -> Fill {
    { [message = message(value)] in
      if meaning != 0 { $0.number(1, meaning) }
      $0.bytes(3, name.utf8)
      $0.number(4, isElement ? 1 : 0)
      $0.bytes(5, message)
    }
  }

  private static func message(_ fill: Fill) -> [UInt8] {
    var message = ProtoWriter()
    fill(&message)
    return message.bytes
  }

  /// The entity of `c/1` in an application of production's, with properties by the numbers of their fields.
  private static func entity(
    app: String = "s~p",
    _ properties: (Int, Fill)...,
    key: Fill = { _ in }
  ) -> [UInt8] {
    message { entity in
      entity.message(13) {
        $0.bytes(13, app.utf8)
        $0.message(14) {
          $0.group(1) {
            $0.bytes(2, "c".utf8)
            $0.bytes(4, "1".utf8)
          }
        }
        key(&$0)
      }
      for (number, fill) in properties { entity.message(number, fill) }
    }
  }

  private func read(_ bytes: [UInt8]) throws(WireError) -> (database: DatabaseName, document: RawDocument) {
    try bytes.span.withUnsafeBytes { bytes throws(WireError) in try EntityDecoder.document(bytes) }
  }

  @Test("What older exports and emulators wrote is read, too.")
  func older() throws {
    let vector = Self.message { entity in
      for number in [1.5, -0.0] {
        entity.message(15, Self.property("__vector__", isElement: true) { $0.double(4, number) })
      }
    }
    let (database, document) = try read(
      Self.entity(
        (14, Self.property("text", meaning: 15) { $0.bytes(3, "ñ".utf8) }),
        (14, Self.property("bytes", meaning: 16) { $0.bytes(3, [0xFF]) }),
        (14, Self.property("list", isElement: true) { $0.number(1, 2) }),
        (15, Self.property("vector", meaning: 19) { $0.bytes(3, vector) }),
        (14, Self.property("list", isElement: true) { $0.number(1, 1) })
      )
    )
    #expect(database == DatabaseName(project: "p"))
    #expect(document.path == DocumentPath("c/1"))
    #expect(
      document.fields == [
        "text": .string("ñ"), "bytes": .bytes([0xFF]), "list": .array([.integer(2), .integer(1)]),
        "vector": .map(["__type__": .string("__vector__"), "value": .array([.double(1.5), .double(-0.0)])]),
      ]
    )
    #expect(try read(Self.entity(app: "e~p")).database.project == "p")
    #expect(try read(Self.entity(app: "p")).database.project == "p")
    #expect(try read(Self.entity(app: "dev~p")).database.project == "p")
  }

  static let refused: [(bytes: [UInt8], cause: String)] = [
    (
      entity((15, property("f", meaning: 20) { $0.group(8) { _ in } })),
      "f: a value of field 8 with the meaning 20 is"
    ),
    (
      entity((15, property("f", meaning: 21) { $0.number(1, 1) })),
      "f: a value of field 1 with the meaning 21 is"
    ),
    (
      entity((15, property("f", meaning: 22) { $0.bytes(3, [1]) })),
      "f: a value of field 3 with the meaning 22 is"
    ),
    (
      entity((15, property("f", meaning: 31) { $0.double(4, 1) })),
      "f: a value of field 4 with the meaning 31 is"
    ),
    (entity((15, property("f") { $0.group(5) { _ in } })), "f: a value of field 5 with the meaning 0 is"),
    (entity((15, property("f", meaning: 23))), "f: the meaning 23 of no value is"),
    (entity((15, property("f", meaning: 24, isElement: true))), "f: the meaning 24 of no value is"),
    (entity((15, property("f") { $0.bytes(3, [0xFF]) })), "f: a text is not UTF-8"),
    // Half a character, one that is written too long, a surrogate, and one of three bytes that becomes three bytes.
    (
      entity((15, property("f") { $0.bytes(3, Array(repeating: 0x61, count: 40) + [0xC3]) })),
      "f: a text is not UTF-8"
    ),
    (entity((15, property("f") { $0.bytes(3, [0xC0, 0x80]) })), "f: a text is not UTF-8"),
    (entity((15, property("f") { $0.bytes(3, [0xED, 0xA0, 0x80]) })), "f: a text is not UTF-8"),
    (entity((15, property("f") { $0.bytes(3, [0xF0, 0x9F, 0x98]) })), "f: a text is not UTF-8"),
    (
      entity((15, property("f", meaning: 7) { $0.number(1, 1 << 62) })),
      "f: a time is not of the years 1 to 9999"
    ),
    (
      entity(
        (
          15,
          property("f") {
            $0.number(1, 1)
            $0.number(2, 1)
          }
        )
      ), "f: it has two values"
    ),
    (entity((15, property("f")), (14, property("f"))), "f: it is given twice"),
    (
      entity((15, property("f", isElement: true)), (15, property("f"))),
      "f: it is given twice"
    ),
    (
      entity((14, property("f", isElement: true)), (15, property("f", isElement: true))),
      "f: some of its elements are indexed and others are not"
    ),
    (
      entity(
        (15, property("f", meaning: 31, isElement: true) { $0.double(4, 1) }),
        (15, property("f", isElement: true) { $0.double(4, 1) })
      ), "f: it is a vector in part"
    ),
    (
      entity((15, property("m", meaning: 19) { $0.bytes(3, entity()) })),
      "m: an entity with a key within another"
    ),
    (entity((99, property("f"))), "an entity has a field 99"),
    (entity(key: { $0.bytes(20, "n".utf8) }), "its key has a name space"),
    (entity(app: ""), "its key is of no project"),
    (entity(app: "s~a/b"), "its key is of no project"),
    (entity(app: "r~p"), "its key is of no project ('r~p')"),
    (entity(app: "dev~s~p"), "its key is of no project"),
    (
      entity((15, property("b", meaning: 16) { $0.bytes(3, [0xFF]) })),
      "b: the meaning 16 of a value that is not indexed is not known"
    ),
    (
      entity(key: { key in key.message(14) { $0.group(1) { $0.bytes(2, "c".utf8) } } }),
      "an element without a collection or an id"
    ),
    (
      entity(key: { key in
        key.message(14) {
          $0.group(1) {
            $0.bytes(2, "a/b".utf8)
            $0.bytes(4, "1".utf8)
          }
        }
      }), "an element without a collection or an id"
    ),
    (message { $0.message(15, property("f")) }, "it has no key"),
    ([0x6A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], "a message is cut off"),
    ([0x78] + Array(repeating: 0xFF, count: 10), "a number has more than 64 bits"),
    ([0x7C], "an encoding that is out of place"),
  ]

  @Test("What no export of Firestore has is refused by name.", arguments: refused.indices)
  func unknown(_ index: Int) {
    let (bytes, cause) = Self.refused[index]
    let error = #expect(throws: WireError.self) { try read(bytes) }
    #expect(error?.description.contains(cause) ?? false, "\(error?.description ?? "") is not \(cause)")
  }

  @Test("Maps within maps end at a depth, and not at that of the stack.")
  func depth() {
    var map = Self.message { _ in }
    for _ in 0..<300 {
      let inner = map
      map = Self.message { $0.message(15, Self.property("m", meaning: 19) { $0.bytes(3, inner) }) }
    }
    let deep = Self.entity((15, Self.property("m", meaning: 19) { [map] in $0.bytes(3, map) }))
    let error = #expect(throws: WireError.self) { try read(deep) }
    #expect(error?.reason == "it is nested too deeply")
  }

  @Test("An array within an array cannot be written, and neither can a reference to no document.")
  func unwritable() {
    let encoder = EntityEncoder(database: DatabaseName(project: "p"))
    for (value, reason) in [
      (Value.array([.array([])]), "it is an array within an array"),
      (.reference("c/1"), "a reference is no name of a document"),
    ] {
      let document = RawDocument(path: DocumentPath(CollectionPath(nil, "c"), "1"), fields: ["f": value])
      let error = #expect(throws: WireError.self) { try encoder.bytes(of: document) }
      #expect(error == WireError(reason, at: ["f"]))
    }
  }
}
