import FirestoreModels
import Foundation
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("The key of a masked run") struct MaskSettingsTests {
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
