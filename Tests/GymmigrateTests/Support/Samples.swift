import Foundation
import TestSupport
import Testing

/// The gym of samples/, and what the oracle makes of it.
enum Samples {
  static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let folder = repository.appendingPathComponent("samples/gym")

  /// Everything but the long collections, for servers that are slow on purpose.
  static let few = [
    "app_config", "classes", "exercises", "expenses", "groups", "members", "membership_plans", "products",
    "routine_templates", "user_emails", "users",
  ]

  /// Every collection, sorted.
  static func all() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".jsonl") }.map { String($0.dropLast(6)) }.sorted()
  }

  static func file(_ collection: String) -> String {
    folder.appendingPathComponent("\(collection).jsonl").path
  }

  static func text(_ collection: String) throws -> String {
    String(
      decoding: try Data(contentsOf: folder.appendingPathComponent("\(collection).jsonl")),
      as: UTF8.self
    )
  }

  static func text(_ collections: [String]) throws -> String { try collections.map { try text($0) }.joined() }

  /// Copies collections into a folder, which is made.
  static func copy(_ collections: [String], to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for name in collections {
      try FileManager.default.copyItem(atPath: file(name), toPath: "\(folder)/\(name).jsonl")
    }
  }

  /// The first `count` documents of a collection.
  static func first(_ count: Int, of collection: String) throws -> String {
    try text(collection).split(separator: "\n").prefix(count).joined(separator: "\n") + "\n"
  }

  /// What must not be in a log: addresses, phones, names and texts of the samples' people.
  static func personal() throws -> [String] {
    var found: Set<String> = []
    let fields = [
      "email", "phone", "telefono", "telefonoEmergencia", "fullName", "firstName", "nombre", "primerApellido",
      "paternalLastName", "emergencyPhone",
    ]
    for line in try text(["users", "members"]).split(separator: "\n") {
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let all = json?["fields"] as? [String: [String: Any]] ?? [:]
      for field in fields {
        guard let text = all[field]?["stringValue"] as? String else { continue }
        // A shorter one could stand in a log by chance.
        if text.utf8.count >= 6, !text.allSatisfy(\.isWhitespace) { found.insert(text) }
      }
    }
    return found.sorted()
  }
}

/// Programs that judge: Python's own library and the scripts of Tests/Oracle.
enum Judge {
  static func python(_ arguments: [String], in folder: URL? = nil) async throws -> RunResult {
    try await BinaryRunner(executable: "/usr/bin/env").run(
      [ProcessInfo.processInfo.environment["GYMMIGRATE_PYTHON"] ?? "python3"] + arguments,
      directory: folder,
      timeout: .seconds(1800)
    )
  }

  /// Runs a script, which must end in 0, and returns what it prints.
  @discardableResult
  static func script(
    _ text: String,
    _ arguments: String...,
    at location: SourceLocation = #_sourceLocation
  )
    async throws -> String
  {
    let result = try await python(["-c", text] + arguments)
    #expect(result.exitCode == 0, "\(result.errors.suffix(2000))", sourceLocation: location)
    return result.output
  }

  static func has(_ module: String) async -> Bool {
    (try? await python(["-c", "import \(module)"]).exitCode) == 0
  }

  /// Has the oracle work out what the migrations make of one folder into another.
  static func expect(_ before: String, into after: String, _ flags: [String] = []) async throws {
    let oracle = Samples.repository.appendingPathComponent("Tests/Oracle/expected.py").path
    let result = try await python([oracle, before, "-o", after] + flags)
    try #require(result.exitCode == 0, "\(result.errors)")
  }

  /// Compares two folders document by document, but for some.
  static func compare(
    _ expected: String,
    _ actual: String,
    except: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let script = Samples.repository.appendingPathComponent("Tests/Oracle/compare.py").path
    let result = try await python([script, expected, actual])
    var lines = result.output.split(separator: "\n").map(String.init)
    let total = lines.popLast() ?? ""
    #expect(total.contains("documents compared"), "\(result.errors)", sourceLocation: location)
    let differences = lines.filter { line in !except.contains { line.hasPrefix("\($0):") } }
    #expect(
      differences.isEmpty,
      "\(differences.prefix(20).joined(separator: "\n"))",
      sourceLocation: location
    )
    #expect(result.exitCode == (lines.isEmpty ? 0 : 1), sourceLocation: location)
  }

  /// The documents by name, each as its line, of a folder of JSON Lines.
  static func lines(_ folder: String) throws -> [String: String] {
    var lines: [String: String] = [:]
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".jsonl") {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
      for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
        let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        lines[try #require(json?["name"] as? String)] = String(line)
      }
    }
    return lines
  }

  /// The names of the documents that the oracle changes, makes or removes.
  static func changed(_ before: String, _ after: String) throws -> Set<String> {
    let old = try lines(before)
    let new = try lines(after)
    return Set(Set(old.keys).union(new.keys).filter { old[$0] != new[$0] })
  }
}

extension MiniFirestore {
  /// Writes everything into a folder as JSON Lines.
  func dump(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let text = snapshot().map { $0.jsonLine + "\n" }.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/all.jsonl"))
  }

  /// Puts the same documents in again, so that their create times follow the order of the text.
  func reload(_ jsonLines: String) throws {
    for document in snapshot() { remove(document.name) }
    try load(jsonLines: jsonLines)
    resetCounts()
  }

  /// One filled with collections of the samples.
  static func withSamples(
    _ collections: [String] = Samples.few,
    _ options: Options = Options()
  ) throws -> MiniFirestore {
    let mini = MiniFirestore(options)
    try mini.load(jsonLines: Samples.text(collections))
    return mini
  }
}
