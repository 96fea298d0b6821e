import Foundation
import TestSupport
import Testing

/// A line of a run's findings.csv and findings.jsonl.
struct ListedFinding: Hashable, Comparable, Sendable, CustomStringConvertible {
  var document, migration, code: String
  /// Empty where there is none.
  var field: String
  /// REST JSON with sorted members; empty where there is none.
  var value: String

  /// What is expected; the value as REST JSON.
  init(_ document: String, _ migration: String, _ code: String, _ field: String = "", _ value: String = "") {
    (self.document, self.migration, self.code, self.field) = (document, migration, code, field)
    self.value = Self.canonical(value)
  }

  var description: String { [document, migration, code, field, value].joined(separator: " | ") }

  static func < (a: Self, b: Self) -> Bool { a.description < b.description }

  private static func canonical(_ json: String) -> String {
    guard let object = try? JSONSerialization.jsonObject(with: Data(json.utf8)) else { return json }
    return canonical(object)
  }

  static func canonical(_ object: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else { return "" }
    return String(decoding: data, as: UTF8.self)
  }
}

/// Which findings there are how often.
typealias FindingCounts = [String: [String: Int]]

extension [ListedFinding] {
  /// By migration and code.
  var counts: FindingCounts {
    var counts: FindingCounts = [:]
    for finding in self { counts[finding.migration, default: [:]][finding.code, default: 0] += 1 }
    return counts
  }
}

extension RunResult {
  /// The findings that a plan or an apply prints, by migration and code.
  var findingCounts: FindingCounts {
    var counts: FindingCounts = [:]
    var migration = ""
    for line in output.split(separator: "\n") {
      if !line.hasPrefix(" ") {
        migration = line.components(separatedBy: ": ").first ?? ""
      } else if let found = line.firstMatch(of: /^  (?:for review|left alone|note), (\S+): ([0-9,]+)$/) {
        let count = Int(found.output.2.filter { $0 != "," }) ?? 0
        counts[migration, default: [:]][String(found.output.1), default: 0] += count
      }
    }
    return counts
  }
}

extension Tool {
  /// The findings of a run, sorted, by Python's readers of CSV and JSON; both lists have to say the same.
  func findings(
    of run: String,
    _ location: SourceLocation = #_sourceLocation
  ) async throws -> [ListedFinding] {
    let folder = ".gymmigrate/runs/\(run)"
    guard exists("\(folder)/findings.csv") || exists("\(folder)/findings.jsonl") else { return [] }
    for name in ["findings.csv", "findings.jsonl"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path("\(folder)/\(name)"))
      #expect(attributes[.posixPermissions] as? Int == 0o600, sourceLocation: location)
    }
    let text = try await Judge.script(
      #"""
      import csv, json, sys
      csv.field_size_limit(1 << 30)
      columns = ["document", "migration", "code", "field", "value", "message"]
      with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
          header, *rows = csv.reader(file, strict=True)
      assert header == columns, header
      with open(sys.argv[2], encoding="utf-8", newline="\n") as file:
          lines = [json.loads(line, object_pairs_hook=list) for line in file]
      for line in lines:
          assert [name for name, _ in line] == sorted(name for name, _ in line), line
      with open(sys.argv[2], encoding="utf-8", newline="\n") as file:
          lines = [json.loads(line) for line in file]
      for line in lines:
          assert set(line) <= set(columns) and line["message"], line
      def bare(cell):
          return cell[1:] if len(cell) > 1 and cell[0] == "'" and cell[1] in "'=+-@\t\r" else cell
      def value_cell(line):
          value = line.get("value")
          if value is None: return ""
          return value["stringValue"] if "stringValue" in value else json.dumps(value, sort_keys=True)
      def shown(row):
          cells = [bare(cell) for cell in row]
          if cells[4].startswith("{"): cells[4] = json.dumps(json.loads(cells[4]), sort_keys=True)
          return cells
      listed = [[value_cell(line) if name == "value" else line.get(name, "") for name in columns] for line in lines]
      assert sorted(map(shown, rows)) == sorted(listed), (rows, listed)
      print(json.dumps(lines))
      """#,
      path("\(folder)/findings.csv"),
      path("\(folder)/findings.jsonl"),
      at: location
    )
    let lines = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
    return lines.map { line in
      func member(_ name: String) -> String { line[name] as? String ?? "" }
      var finding = ListedFinding(member("document"), member("migration"), member("code"), member("field"))
      finding.value = line["value"].map { ListedFinding.canonical($0) } ?? ""
      return finding
    }.sorted()
  }
}
