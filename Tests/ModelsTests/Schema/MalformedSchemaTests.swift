import FirestoreModels
import Testing

@testable import Schema

/// A schema file with one mistake, where it is, and a part of what was expected there.
private struct Mistake: CustomTestStringConvertible, Sendable {
  var what: String
  var text: String
  /// The line, counted by hand.
  var line: Int
  var expected: String

  var testDescription: String { what }

  init(_ what: String, _ text: String, line: Int, _ expected: String) {
    (self.what, self.text, self.line, self.expected) = (what, text, line, expected)
  }

  /// A mistake among the keys of the collection `orders`, on line 4 unless more lines come before.
  static func collection(_ what: String, _ keys: String, line: Int = 4, _ expected: String) -> Mistake {
    Mistake(
      what,
      """
      schema: shop
      collections:
        orders:
      \(indented(keys, by: 4))
          fields:
            total: { type: double }
            note: string
            placedAt: timestamp
            isOpen: boolean
        customers:
          fields: { name: string }
      """,
      line: line,
      expected
    )
  }

  /// A mistake in the field `total`, on line 5.
  static func field(_ what: String, _ value: String, line: Int = 5, _ expected: String) -> Mistake {
    Mistake(
      what,
      """
      schema: shop
      collections:
        orders:
          fields:
            total: \(value)
            note: string
      """,
      line: line,
      expected
    )
  }

  private static func indented(_ text: String, by count: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map {
      String(repeating: " ", count: count) + $0
    }.joined(separator: "\n")
  }
}

@Suite("Malformed schemas") struct MalformedSchemaTests {
  fileprivate static let mistakes: [Mistake] = [
    Mistake("a list instead of a map", "- schema: shop\n", line: 1, "map"),
    Mistake("no name", "collections:\n  orders:\n    fields: { a: string }\n", line: 1, "schema: NAME"),
    Mistake("no collections", "schema: shop\n", line: 1, "collections:"),
    Mistake("collections that are text", "schema: shop\ncollections: orders\n", line: 2, "map"),
    Mistake("an unknown key", "schema: shop\ncolections:\n  orders: {}\n", line: 2, "colections"),
    Mistake(
      "the same collection twice",
      "schema: shop\ncollections:\n  a: { fields: { b: string } }\n  a: {}\n",
      line: 3,
      "'a' is given twice"
    ),
    Mistake("a name that is a list", "schema: [shop]\ncollections:\n  a: {}\n", line: 1, "string"),
    Mistake(
      "a document as a collection",
      "schema: s\ncollections:\n  orders/o1: { fields: { b: string } }\n",
      line: 3,
      "orders/*/items"
    ),
    Mistake(
      "an ID instead of *",
      "schema: s\ncollections:\n  orders/o1/items: { fields: { b: string } }\n",
      line: 3,
      "* for document IDs"
    ),
    Mistake("a tab for an indent", "schema: s\ncollections:\n\torders: {}\n", line: 3, "character"),
    Mistake(
      "an anchor",
      "schema: &a s\ncollections:\n  orders: { label: { en: *a } }\n",
      line: 1,
      "write the value out"
    ),
    .collection("an unknown key of a collection", "lable: { en: Orders }", "lable"),
    .collection("a label that is text", "label: Orders", "map"),
    .collection("a language that is none", "label: { English: Orders }", "expected its code"),
    .collection("documents that are text", "documents: o1", "list"),
    .collection("an empty list of documents", "documents: []", "list"),
    .collection("an unknown document ID", "document-id: serial", "auto, uuid, uid, email"),
    .collection("a document ID without its pattern", "document-id: {}", "pattern: EXPRESSION"),
    .collection("a pattern that is none", "document-id: { pattern: \"[\" }", "regular expression"),
    .collection("an ID field that is not declared", "id-field: id", "among 'fields'"),
    .collection("an ID field that is no text", "id-field: total", "type: string"),
    .collection("a creation time that is no time", "create-time: note", "type: timestamp"),
    .collection("an update time without its field", "update-time: { set-by: server }", "field: NAME"),
    .collection(
      "an update time that nobody sets",
      "update-time: { field: placedAt, set-by: me }",
      "server, client"
    ),
    .collection("a soft delete that is no boolean", "soft-delete: note", "type: boolean"),
    .collection(
      "a soft delete that also sets what is no boolean",
      "soft-delete: { field: isOpen, also: note }",
      "type: boolean"
    ),
    .collection("a soft delete without a field", "soft-delete: { deleted: true }", "field: NAME"),
    .collection(
      "a soft delete with another absence",
      "soft-delete: { field: isOpen, absent: gone }",
      "active, deleted"
    ),
    .collection("an immutability that is none", "immutable: sometimes", "always, never"),
    .collection("an immutability without a filter", "immutable: {}", "when: FILTER"),
    .collection("a filter that is none", "immutable: { when: \"total >\" }", "expected a filter"),
    .collection(
      "a filter of a field that is not declared",
      "immutable: { when: total > 1 and noet == x }",
      "Did you mean 'note'?"
    ),
    .collection("an order by a field that is not declared", "ordered-by: name", "among 'fields'"),
    .collection("a filter field that is not declared", "filtered-by: [note, x]", "among 'fields'"),
    .collection("a decoding that is none", "decoding: loose", "strict, lenient"),
    .collection("a catalogue that is text", "catalogue: maybe", "true or false"),
    .collection("unknown fields that are neither", "unknown-fields: yes", "expected, unexpected"),
    .collection("a field that is declared and forbidden", "forbidden: [note]", "one or the other"),
    .collection("a unique field that is not declared", "unique: [[note, sku]]", "among 'fields'"),
    .collection("an import of something else", "import: { encodings: utf-8 }", "encodings"),
    .collection("an encoding that is none", "import: { encoding: latin1 }", "utf-8, utf-16le"),
    .collection("a delimiter that is a list", "import: { delimiter: [comma] }", "comma, semicolon"),
    .collection("a row of headings that is none", "import: { header-row: 0 }", "a whole number from 1"),
    .collection("a type of a heading that is none", "import: { types: { a: decimal } }", "string, text"),
    .collection("a heading without a field", "import: { rename: a }", "a map of headings"),
    .collection("a number of a column that is none", "import: { skip-columns: [3, x] }", "numbers from 1"),
    .collection("a flag that is text", "import: { decimal-comma: comma }", "true or false"),
    .collection("a currency that is a number", "import: { currency: \"1\" }", "signs of currencies"),
    .collection("files that are a map", "import: { files: { a: b } }", "string"),
    .collection("rows to skip twice", "import: { header-row: 2, skip-rows: 1 }", "one of them"),
    Mistake(
      "a search in a map for a field that is not declared",
      """
      schema: shop
      collections:
        orders:
          search: { texts: [name.givn] }
          fields:
            name: { type: map, fields: { given: string } }
      """,
      line: 4,
      "'name.givn' in 'search' is not declared"
    ),
    .collection("a search for something else", "search: { names: [note] }", "names"),
    .collection(
      "a second mistake further down",
      "label: { en: Orders }\nimmutable: no way",
      line: 5,
      "always, never"
    ),
    .field("a type that is none", "number", "string, integer, double"),
    .field("a type of another case", "String", "string, integer, double"),
    .field("an unknown key of a field", "{ type: double, requird: true }", "requird"),
    .field("a required that is neither", "{ type: double, required: often }", "true or false"),
    .field("a value of another type", "{ type: integer, values: [1, x] }", "expected integer"),
    .field("no values", "{ type: string, values: [] }", "list"),
    .field("a deprecated value without values", "{ type: string, deprecated: [a] }", "expected both"),
    .field(
      "a deprecated value that is not there",
      "{ type: string, values: [a], deprecated: [b] }",
      "expected it there"
    ),
    .field(
      "keys beside fields",
      "{ type: map, keys: { mask: hash }, fields: { a: string } }",
      "no fields or elements beside it"
    ),
    .field(
      "keys beside elements",
      "{ type: array, keys: { mask: hash }, elements: string }",
      "no fields or elements beside it"
    ),
    .field("a format that is none", "{ type: string, format: zip }", "email, phone, digits"),
    .field("a format of a number", "{ type: double, format: email }", "type: string"),
    .field(
      "a format pattern that is none",
      "{ type: string, format: { pattern: \"(\" } }",
      "regular expression"
    ),
    .field("an empty range", "{ type: double, range: {} }", "min, max or both"),
    .field("a range that is upside down", "{ type: double, range: { min: 2, max: 1 } }", "expected it below"),
    .field("a range of texts", "{ type: double, range: { min: a } }", "a number"),
    .field("a range of a boolean", "{ type: boolean, range: { min: 1 } }", "expected type: integer"),
    .field("a range of times by numbers", "{ type: timestamp, range: { min: 1 } }", "ts(2026-01-01)"),
    .field("a default of another type", "{ type: double, default: free }", "expected double"),
    .field("a default out of range", "{ type: integer, range: { min: 1 }, default: 0 }", "at least 1"),
    .field("a reference to nothing", "{ type: string, reference: customers }", "expected one of orders"),
    .field(
      "a reference of a number",
      "{ type: double, reference: orders }",
      "type: string or type: reference"
    ),
    .field(
      "a reference without a collection",
      "{ type: string, reference: { mirror: a } }",
      "collection: NAME"
    ),
    .field(
      "a mirror that does not refer back",
      "{ type: string, reference: { collection: orders, mirror: note } }",
      "reference: orders"
    ),
    .field(
      "a label that is a heading of our own",
      "{ type: double, label: { es: __raw__ } }",
      line: 4,
      "is no heading"
    ),
    .field("a label with a space", "{ type: double, label: { es: 'Total ' } }", line: 4, "is no heading"),
    .field(
      "a label that is another field",
      "{ type: double, label: { en: note } }",
      line: 4,
      "expected another one"
    ),
    .field("fields of a text", "{ type: string, fields: { a: string } }", "type: map"),
    .field(
      "a number format of a text",
      "{ type: string, number-format: \"0.00\" }",
      "type: integer or double"
    ),
    .field(
      "a number format of times",
      "{ type: double, number-format: \"[h]:mm\" }",
      "the format of a number"
    ),
    .field(
      "a number format of dates",
      "{ type: integer, number-format: dd/mm/yyyy }",
      "the format of a number"
    ),
    .field("a number format of texts", "{ type: integer, number-format: \"@\" }", "the format of a number"),
    .field("an ambiguous date", "{ type: timestamp, range: { min: 2026-01-01 } }", "ts(2026-01-31)"),
    .field("a highlight of a text", "{ type: string, highlight: { max: 5 } }", "type: integer or double"),
    .field(
      "a highlight of any number of days",
      "{ type: timestamp, highlight: { within-days: soon } }",
      "3650"
    ),
    .field("days of a number", "{ type: integer, highlight: { within-days: 7 } }", "type: timestamp"),
    .field("a highlight of both kinds", "{ type: integer, highlight: { max: 5, within-days: 7 } }", "alone"),
    .field("an empty highlight", "{ type: integer, highlight: {} }", "min, max or both"),
    .field("a highlight of nothing", "{ type: integer, highlight: { min: 6, max: 5 } }", "below"),
    .field("a highlight by another word", "{ type: integer, highlight: { when: 5 } }", "within-days"),
    .field("a width that is none", "{ type: double, width: wide }", "from 1 to 255"),
    Mistake(
      "a field name that the service refuses",
      "schema: s\ncollections:\n  a:\n    fields:\n      __x__: string\n",
      line: 5,
      "field name"
    ),
  ]

  @Test(arguments: mistakes) private func isReported(_ mistake: Mistake) throws {
    let failure = try #require(throws: Failure.self) {
      try SchemaReader.schema(parsing: mistake.text, path: "shop.yaml")
    }
    #expect(failure.kind == .configuration && failure.path == "shop.yaml")
    #expect(failure.cause.hasPrefix("line \(mistake.line), column "), "\(failure.cause)")
    #expect(failure.cause.contains(mistake.expected), "\(failure.cause)")
    #expect(!failure.cause.contains("\n"))
  }

  @Test func thereAreFifty() { #expect(Self.mistakes.count >= 50) }

  @Test("What the mistakes are made of is a schema without them.")
  func theRestIsSound() throws {
    let text = """
      schema: shop
      collections:
        orders:
          fields:
            total: { type: double, required: true, range: { min: 0 }, default: 0 }
            note: string
      """
    #expect(try SchemaReader.schema(parsing: text, path: "s.yaml").collections.first?.fields.count == 2)
  }
}
