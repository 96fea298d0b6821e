import MigrationEngine
import Tables

/// A field or a document that violates a rule.
package struct IntegrityFinding: Sendable, Equatable {
  package var rule: IntegrityRule
  /// The document, which for some rules is a missing one.
  package var path: DocumentPath
  package var field: String?
  /// The value of the field; nil if it is missing or null.
  package var value: Value?
  /// One sentence for people, which contains no value.
  package var message: String
  package init(
    _ rule: IntegrityRule,
    _ path: DocumentPath,
    field: String? = nil,
    value: Value? = nil,
    _ message: String
  ) {
    self.rule = rule
    self.path = path
    self.field = field
    self.value = value
    self.message = message
  }

  /// Writes `{"rule", "path", "field", "value", "message"}`; `value` is a REST value, and it and `field` are omitted if nil.
  package func write(to json: inout JSONWriter) {
    json.object {
      $0.member("rule", rule.name)
      $0.member("path", path.string)
      $0.member("field", field)
      if let value {
        $0.key("value")
        $0.value(value)
      }
      $0.member("message", message)
    }
  }

  /// The members as cells, in the order of ``cellNames``: a string as it is, any other value as its REST JSON.
  package var cells: [String] {
    [rule.name, path.string, field ?? "", FindingLists.text(of: value), message]
  }

  /// A line of JSON.
  package var line: [UInt8] { JSONWriter.bytes { write(to: &$0) } + [UInt8(ascii: "\n")] }

  /// A CSV line.
  package var row: [UInt8] { CSVLineWriter.list.bytes(cells) }

  package static let cellNames = ["rule", "path", "field", "value", "message"]
}
