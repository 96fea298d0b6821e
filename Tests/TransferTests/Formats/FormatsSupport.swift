import FirestoreModels
import Foundation
import TestSupport
import Testing

/// A folder of one test's own, removed when dropped.
final class ScratchFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("formats-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the folder, hidden ones too.
  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

  func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}

func contents(_ path: String) throws -> [UInt8] {
  Array(try Data(contentsOf: URL(fileURLWithPath: path)))
}

/// Python and its libraries, which judge what this program writes.
enum Judge {
  /// The interpreter: `GYMMIGRATE_PYTHON`, for one that has openpyxl, else `python3`.
  static let python = ProcessInfo.processInfo.environment["GYMMIGRATE_PYTHON"] ?? "python3"

  static let hasPython = (try? run(["-c", "import csv, zoneinfo"])) != nil
  static let hasOpenpyxl = (try? run(["-c", "import openpyxl"])) != nil

  struct Refused: Error, CustomStringConvertible {
    let description: String
  }

  static func script(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Judges/\(name)").path
  }

  @discardableResult
  static func run(_ arguments: [String], input: String = "") throws -> Data {
    let scratch = try ScratchFolder()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [python] + arguments
    // Files and not pipes, which would have to be emptied while they are filled.
    let stdin = try scratch.write(input.utf8, to: "in")
    _ = try scratch.write([], to: "out")
    _ = try scratch.write([], to: "err")
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: stdin))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("out")))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.file("err")))
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Refused(description: String(decoding: try contents(scratch.file("err")), as: UTF8.self))
    }
    return try Data(contentsOf: URL(fileURLWithPath: scratch.file("out")))
  }
}

/// Values and documents that look for trouble.
struct FaultInjector {
  var random: SplitMix64

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
  }

  mutating func pick<T>(_ choices: [T]) -> T { random.pick(choices) }

  mutating func text() -> String {
    if Bool.random(using: &random) {
      return pick([
        "", "null", "7", "007", "-0", "1.5", "1e5", "NaN", "-Infinity", "true", "FALSE",
        "2026-01-31T18:00:00Z",
        "{\"integerValue\":\"7\"}", "{}", "[1]", "[", "{", "\"", "\"\"", "'", "'=1", "=1+1", "+52 55", "-3",
        "@a",
        "\t=1", " a ", ",", ";", "a,b", "a\r\nb", "\r", "\n", "e\u{301}", "é", "\u{FEFF}", "🏋️‍♀️", "a\u{0}b",
        "\u{1}", "_x0041_", "\\N", "9007199254740993", "9223372036854775808", "1e400", "-1e-400", "＝1",
        "''=1",
      ])
    }
    var text = ""
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      text += pick([
        "a", "ñ", "\"", ",", ";", "\n", "\r", " ", "'", "=", "{", "0", ".", "\u{0}", "\u{7F}", "𝔘", "\u{301}",
      ])
    }
    return text
  }

  mutating func scalar() -> Value {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .null
    case 1: return .boolean(Bool.random(using: &random))
    case 2:
      return .integer(
        pick([0, 7, -7, .max, .min, 1 << 53, (1 << 53) + 1, Int64.random(in: -9999...9999, using: &random)])
      )
    case 3:
      return .double(
        pick([
          0, -0.0, 10, 0.1, 1e22, -1e-7, .nan, .infinity, -.infinity, .greatestFiniteMagnitude,
          .leastNonzeroMagnitude, Double(bitPattern: random.next()),
        ])
      )
    case 4:
      let seconds = Int64.random(in: Timestamp.minimumSeconds...Timestamp.maximumSeconds, using: &random)
      let nanoseconds = pick([0, 1, 1000, 120_000_000, 999_999_999])
      return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)).map { .timestamp($0) } ?? .null
    case 5: return .bytes([0, 255, UInt8.random(in: 0...255, using: &random)])
    case 6: return .reference("projects/p/databases/d/documents/users/\(text().utf8.count)")
    case 7: return .geoPoint(GeoPoint(latitude: -0.0, longitude: 99.5))
    default: return .string(text())
    }
  }

  mutating func value(depth: Int = 0) -> Value {
    switch Int.random(in: 0..<12, using: &random) {
    case 0 where depth < 3:
      return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: 3) })
    case 1, 2: return depth < 3 ? .map(fields(depth: depth + 1)) : scalar()
    case 3:
      return .map(["__type__": .string("__vector__"), "value": .array([.double(1), .double(.nan)])])
    default: return scalar()
    }
  }

  mutating func fields(depth: Int = 0) -> FieldMap {
    var fields = FieldMap()
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let name = pick([
        "id", "phone", "price", "stock", "isActive", "createdAt", "priceHistory", "a", "b", "a.b", "`", "\\",
        "é",
        "e\u{301}", "con espacio", "0", "Phone", "Teléfono", "\"", ",", "=x",
      ])
      fields[name] = value(depth: depth)
    }
    return fields
  }
}

/// A JSON string.
func quotedJSON(_ text: String) -> String {
  var json = JSONWriter()
  json.string(text)
  return String(decoding: json.bytes, as: UTF8.self)
}

/// An object of members as they come, whose values are JSON.
func objectJSON(_ members: [(String, String)]) -> String {
  "{" + members.map { "\(quotedJSON($0.0)):\($0.1)" }.joined(separator: ",") + "}"
}
