import FirestoreModels
import Foundation
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("The key of a masked run") struct MaskSettingsTests {
  @Test(
    "What is sealed is opened by its own key alone.",
    arguments: ["", "users", "users where email == ana@gym.mx limit 20", String(repeating: "é", count: 99)]
  )
  func sealed(_ text: String) throws {
    let key = MaskKey(MaskKey.random())
    let sealed = try key.sealed(text)
    #expect(try key.opened(sealed) == text && sealed == key.sealed(text))
    #expect(try !sealed.contains("gym") && key.opened(text) == nil)
    #expect(try MaskKey(MaskKey.random()).opened(sealed) == nil)
    var changed = try #require(Base64.decode(sealed))
    changed[changed.count - 1] ^= 1
    #expect(try key.opened(Base64.standard(changed)) == nil)
  }

  @Test(
    "The filter of a root is left out, and nothing else is changed.",
    arguments: [
      ("users where email == ana@gym.mx limit 20", "users where … limit 20"),
      ("--subset=users where a == 'limit 20'", "--subset=users where …"), ("users limit 2", "users limit 2"),
      ("two words", "two words"), ("", ""),
    ]
  )
  func withoutFilter(_ text: String, _ shown: String) {
    #expect(SubsetRoot.withoutFilter(text) == shown)
  }

  @Test("A record holds no key, and takes none but its own.")
  func record() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("key").path
      func write(_ key: String) throws {
        try Data(key.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      }
      let key = MaskKey.random()
      try write(key)
      let record = try JSONEncoder().encode(try MaskSettings(keyFile: path))
      #expect(!String(decoding: record, as: UTF8.self).contains(key))
      let settings = try JSONDecoder().decode(MaskSettings.self, from: record)
      _ = try settings.mask(by: .none)
      try write(MaskKey.random())
      let failure = #expect(throws: Failure.self) { try settings.mask(by: .none) }
      #expect(failure?.kind == .configuration && failure?.cause.contains("another key") == true)
    }
  }
}

@Suite("What a check of masks finds in documents") struct MaskFindingTests {
  @Test("A reference that names no document is found in its field, and the rule of ids is not taken for one.")
  func references() throws {
    let schema = try SchemaReader.schema(
      parsing: """
        schema: x
        collections:
          p: { mask: keep, fields: { list: { type: array, elements: { type: reference, mask: reference(p) } } } }
          q: { fields: { n: { type: integer, mask: keep } } }
        """,
      path: "x.yaml"
    )
    var check = MaskCheck(by: schema)
    let bad = Value.array([.reference("nowhere"), .reference("nowhere"), .reference("a/documents/p/1")])
    try check.take(RawDocument(path: try #require(DocumentPath("p/1")), fields: ["list": bad]))
    try check.take(RawDocument(path: try #require(DocumentPath("q/1")), fields: ["n": .integer(1)]))
    #expect(
      check.findings.map { "\($0.what): \($0.count): \($0.remedy)" } == [
        "a reference to no document in list[] of p: 1 document: "
          + "p: { fields: { list: { type: array, elements: { type: reference, mask: drop } } } }",
        "the IDs of q: 1 document: q: { mask: pseudonym }",
      ]
    )
  }

  @Test("An undeclared key of a map is in the map that has it, and is shown only if it is a plain name.")
  func keys() throws {
    let schema = try SchemaReader.schema(
      parsing: """
        schema: x
        collections:
          p: { mask: keep, fields: { f1: { type: map, fields: { a: boolean } } } }
        """,
      path: "x.yaml"
    )
    var check = MaskCheck(by: schema)
    let map = Value.map(["Zoe Gil": .string("x"), "b": .string("x")])
    try check.take(RawDocument(path: try #require(DocumentPath("p/1")), fields: ["f1": map]))
    #expect(
      check.findings.map { "\($0.what): \($0.remedy)" } == [
        "f1.(a key that is not shown) of p: p: { fields: { f1: { type: map, "
          + "fields: { (a key that is not shown): { type: string, mask: pseudonym } } } } }",
        "f1.b of p: p: { fields: { f1: { type: map, fields: { b: { type: string, mask: pseudonym } } } } }",
      ]
    )
  }
}
