import Files
import Foundation
import Storage
import TestSupport
import Testing

@testable import FirestoreModels

@Suite("A folder as an object store")
struct LocalObjectStoreTests {
  private func withStore(_ body: (LocalObjectStore, URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      try await body(try LocalObjectStore(creating: folder.appendingPathComponent("a/b").path), folder)
    }
  }

  private func text(_ object: StoredObject?) -> String? {
    object.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test("An object is created once, and replaced in the version that was read")
  func preconditions() async throws {
    try await withStore { store, _ in
      #expect(try await store.read("x/y.json", limit: 10) == nil)
      guard case .written(let first) = try await store.write(Array("1".utf8), to: "x/y.json", if: .missing)
      else {
        Issue.record("it was refused")
        return
      }
      #expect(first.bytes == 1 && first.name == "x/y.json")
      #expect(try await store.write(Array("2".utf8), to: "x/y.json", if: .missing) == .refused)
      #expect(text(try await store.read("x/y.json", limit: 10)) == "1")
      #expect(try await store.read("x/y.json", limit: 10)?.version == first.version)
      guard
        case .written(let second) = try await store.write(
          Array("2".utf8),
          to: "x/y.json",
          if: .version(first.version)
        )
      else {
        Issue.record("it was refused")
        return
      }
      #expect(second.version != first.version)
      #expect(
        try await store.write(Array("3".utf8), to: "x/y.json", if: .version(first.version)) == .refused
      )
      #expect(try await store.delete("x/y.json", version: first.version) == false)
      #expect(text(try await store.read("x/y.json", limit: 10)) == "2")
      #expect(try await store.delete("x/y.json", version: second.version))
      #expect(try await store.delete("x/y.json", version: nil))
      #expect(try await store.write([], to: "x/y.json", if: .version(second.version)) == .refused)
    }
  }

  @Test("Of many that create or replace an object at once, one succeeds")
  func contention() async throws {
    try await withStore { store, _ in
      func race(_ precondition: ObjectPrecondition) async throws -> [ObjectVersion] {
        try await withThrowingTaskGroup(of: ObjectWrite.self) { group in
          for number in 0..<20 {
            group.addTask { try await store.write(Array("\(number)".utf8), to: "claim", if: precondition) }
          }
          var won: [ObjectVersion] = []
          for try await result in group { if case .written(let info) = result { won.append(info.version) } }
          return won
        }
      }
      let created = try await race(.missing)
      try #require(created.count == 1)
      let replaced = try await race(.version(created[0]))
      #expect(replaced.count == 1)
    }
  }

  @Test("Files are copied in and out, and listed by the bytes of their names")
  func files() async throws {
    try await withStore { store, folder in
      let source = folder.appendingPathComponent("source").path
      let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
      try content.write(to: URL(fileURLWithPath: source))
      guard case .written(let info) = try await store.upload(source, to: "parts/00001", if: .missing) else {
        Issue.record("it was refused")
        return
      }
      #expect(info.bytes == content.count)
      let target = folder.appendingPathComponent("target").path
      #expect(try await store.download("parts/00001", version: info.version, to: target) == info)
      #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == content)
      #expect(try await store.download("parts/00001", version: ObjectVersion("0"), to: target) == nil)
      #expect(try await store.download("parts/00002", version: nil, to: target) == nil)
      for name in ["parts/10", "parts/é", "parts/2/x", "part", "zz"] {
        _ = try await store.write([1], to: name, if: .none)
      }
      #expect(
        try await store.list("parts/").map(\.name) == ["parts/00001", "parts/10", "parts/2/x", "parts/é"]
      )
      #expect(try await store.list("par").count == 5)
      #expect(try await store.list("none/").isEmpty)
    }
  }

  @Test("A name that leads out of the folder is refused, and so is an object that is too large")
  func bounds() async throws {
    try await withStore { store, _ in
      for name in ["", "/x", "../x", "a/../x", "a//b", ".lock", "a/.b", "x/"] {
        await #expect(throws: Failure.self) { try await store.write([1], to: name, if: .none) }
      }
      _ = try await store.write([1, 2, 3], to: "x", if: .none)
      await #expect(throws: Failure.self) { try await store.read("x", limit: 2) }
    }
  }
}
