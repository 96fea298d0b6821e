import FirestoreModels
import Foundation
import Schema
import Testing

@testable import Files
@testable import Tables
@testable import Transfer

@Suite("Rows and the schema of their table for bq load")
struct BigQueryTests {
  private static let schema = """
    schema: shop
    collections:
      orders:
        fields:
          text: string
          whole: integer
          rate: double
          is: boolean
          at: timestamp
          blob: bytes
          place: geopoint
          link: reference
          vector: vector
          either: [string, integer]
          free: map
          list: array
          tags: { type: array, elements: string }
          address: { type: map, fields: { city: string, zip: { type: map, fields: { code: integer } } } }
          lines: { type: array, elements: { type: map, fields: { sku: string, count: integer } } }
          Teléfono: string
          2024: integer
          TEXT: string
          _partition: string
    """

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Writes documents, and returns the rows and the schema of the table.
  private func export(_ documents: [FieldMap]) throws -> (rows: [String], schema: String) {
    let schema = try SchemaReader.schema(parsing: Self.schema, path: "shop.yaml")
    let collection = CollectionPath(nil, "orders")
    let path = folder.file("orders.ndjson")
    let output = try ExportOutput(.file(path), .bigQuery(schema))
    let writer = try output.writer(for: collection)
    for (index, fields) in documents.enumerated() {
      try writer.append(RawDocument(path: DocumentPath(collection, "o\(index)"), fields: fields))
    }
    try writer.finish()
    #expect(try output.finish().first?.documents == documents.count)
    let rows = try String(contentsOfFile: path, encoding: .utf8)
    return (
      rows.split(separator: "\n").map(String.init),
      try String(contentsOfFile: folder.file("orders.schema.json"), encoding: .utf8)
    )
  }

  @Test("The columns are the declared fields, with BigQuery's names and types.")
  func columns() throws {
    struct Column: Decodable, Equatable {
      var name: String
      var type: String
      var mode: String
      var description: String?
      var fields: [Column]?
    }
    let text = try export([]).schema
    let columns = try JSONDecoder().decode([Column].self, from: Data(text.utf8))
    func column(_ name: String, _ type: String, _ description: String? = nil) -> Column {
      Column(name: name, type: type, mode: "NULLABLE", description: description)
    }
    var expected = [
      column("__name__", "STRING"), column("text", "STRING"), column("whole", "INTEGER"),
      column("rate", "FLOAT"),
      column("is", "BOOLEAN"), column("at", "TIMESTAMP"), column("blob", "BYTES"),
      column("place", "GEOGRAPHY"),
      column("link", "STRING"), column("vector", "FLOAT"), column("either", "JSON"), column("free", "JSON"),
      column("list", "JSON"), column("tags", "STRING"), column("address", "RECORD"),
      column("lines", "RECORD"),
      column("Tel_fono", "STRING", "Teléfono"), column("f_2024", "INTEGER", "2024"),
      column("TEXT_2", "STRING", "TEXT"), column("f__partition", "STRING", "_partition"),
      column("__rest__", "JSON"),
    ]
    for index in [9, 13, 15] { expected[index].mode = "REPEATED" }
    var zip = column("zip", "RECORD")
    zip.fields = [column("code", "INTEGER")]
    expected[14].fields = [column("city", "STRING"), zip]
    expected[15].fields = [column("sku", "STRING"), column("count", "INTEGER")]
    #expect(columns == expected)
  }

  @Test("Each value is as BigQuery reads it, and what does not fit its column is in the rest.")
  func rows() throws {
    let all: FieldMap = [
      "text": .string("a"), "whole": .integer(1 << 60), "rate": .double(.nan), "is": .boolean(true),
      "at": .timestamp(try #require(Timestamp("2026-01-31T12:00:00.000001Z"))), "blob": .bytes([0, 255]),
      "place": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)),
      "link": .reference("projects/p/databases/d/documents/a/b"),
      "vector": .map(["__type__": .string("__vector__"), "value": .array([.double(1), .double(2)])]),
      "either": .integer(7), "free": .map(["x": .null]), "list": .array([.null]),
      "tags": .array([.string("x")]),
      "address": .map(["city": .string("C"), "floor": .integer(3), "zip": .map(["code": .string("01")])]),
      "lines": .array([.map(["sku": .string("s"), "count": .integer(2)])]), "Teléfono": .string("0"),
    ]
    let unfit: FieldMap = [
      "text": .integer(1), "whole": .double(1.5), "rate": .integer((1 << 53) + 1), "tags": .array([.null]),
      "lines": .array([.map(["sku": .string("s"), "price": .integer(2)])]), "address": .string("x"),
      "vector": .array([.double(1), .string("x")]), "other": .boolean(false),
    ]
    let nulls: FieldMap = ["text": .null, "address": .null, "tags": .null, "rate": .integer(2)]
    let rows = try export([all, unfit, nulls]).rows
    let expected = [
      #"{"__name__":"o0","Tel_fono":"0","address":{"city":"C","zip":{}},"at":"2026-01-31T12:00:00.000001Z","blob":"AP8=","either":7,"free":{"x":null},"is":true,"lines":[{"count":2,"sku":"s"}],"link":"projects/p/databases/d/documents/a/b","list":[null],"place":"POINT(-99.0 19.5)","rate":"NaN","tags":["x"],"text":"a","vector":[1.0,2.0],"whole":"1152921504606846976","__rest__":{"address":{"floor":3,"zip":{"code":"01"}}}}"#,
      #"{"__name__":"o1","__rest__":{"address":"x","lines":[{"price":2,"sku":"s"}],"other":false,"rate":9007199254740993,"tags":[null],"text":1,"vector":[1.0,"x"],"whole":1.5}}"#,
      #"{"__name__":"o2","address":null,"rate":2,"text":null,"__rest__":{"tags":null}}"#,
    ]
    func json(_ line: String) throws -> NSDictionary {
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
    }
    #expect(rows.count == expected.count)
    for (row, line) in zip(rows, expected) { #expect(try json(row) == json(line), "\(row)") }
  }

  @Test("Two files do not fit into standard output.")
  func standardOutput() throws {
    let output = try ExportOutput(.standardOutput, .bigQuery(.none))
    let failure = #expect(throws: Failure.self) { _ = try output.writer(for: CollectionPath(nil, "orders")) }
    #expect(failure?.kind == .usage)
  }
}
