import Files
import FirestoreModels
import Foundation
import Schema
import TestSupport
import Testing

@testable import Tables
@testable import Transfer

/// A collection with a column of each type that a schema can declare, an identifier, and fields that it does not know.
private let schemaText = """
  schema: shop
  collections:
    orders:
      fields:
        s: string
        phone: { type: string, identifier: true, label: { es: Teléfono } }
        i: integer
        d: double
        b: boolean
        t: timestamp
        a: array
        m: map
  """

/// Workbooks of one collection: written by export, changed by openpyxl, read by import.
struct ExactValueFixture {
  /// The fields of the schema, and one that it does not know.
  static let columns = ["s", "phone", "i", "d", "b", "t", "a", "m", "other"]

  let folder: ScratchFolder
  let options: XLSXOptions
  let orders: CollectionPath

  init() throws {
    folder = try ScratchFolder()
    var options = XLSXOptions(timeZone: try LocalTimeZone(named: "America/Mexico_City"))
    options.schema = try SchemaReader.schema(parsing: schemaText, path: "shop.yaml")
    self.options = options
    orders = try #require(CollectionPath("orders"))
  }

  func document(_ id: String, _ fields: FieldMap, in collection: CollectionPath? = nil) -> RawDocument {
    RawDocument(path: DocumentPath(collection ?? orders, id), fields: fields)
  }

  /// Writes a workbook of one sheet.
  func export(
    _ documents: [RawDocument],
    options: XLSXOptions? = nil,
    rowsPerSheet: Int = XLSXWriter.maximumRows
  ) throws -> String {
    let path = folder.file("book.xlsx")
    let writer = try XLSXWriter(path, options: options ?? self.options, rowsPerSheet: rowsPerSheet)
    let sheet = try writer.sheet(for: documents.first?.path.collection ?? orders)
    try sheet.append(contentsOf: documents)
    try sheet.finish()
    try writer.finish()
    return path
  }

  /// Reads the documents of all sheets that import takes, with the faults of their rows.
  func read(
    _ path: String,
    into collection: CollectionPath? = nil,
    schema: DatabaseSchema? = nil,
    via files: FileAccess = .local
  ) throws -> (documents: [RawDocument], faults: [String], notices: [String], warnings: [String]) {
    var notices: [String] = []
    var warnings: [String] = []
    var documents: [RawDocument] = []
    var faults: [String] = []
    var table = TableOptions(timeZone: options.timeZone)
    table.schema = schema ?? options.schema
    table.files = files
    let sources = try ImportSource.resolve(
      [path],
      collection: collection,
      flattens: collection != nil,
      schema: table.schema,
      via: files
    )
    for source in sources {
      let collection = try #require(source.collection)
      let plan = try TableSurvey.plan(of: source, collection: collection, options: table) { _, _ in }
      let input = try TableInput(source, plan: try #require(plan), options: table, stage: 0)
      while let row = try input.next() {
        if let document = row.document { documents.append(document) }
        faults += row.faults.map(\.expected)
      }
      notices += input.notices
      warnings += input.warnings
    }
    return (documents, faults, notices, warnings)
  }

  func field(_ name: String, of id: String, in path: String) throws -> Value? {
    try read(path).documents.first { $0.path.id == id }?.fields[name]
  }

  /// Changes a workbook with openpyxl: `book` is the workbook, `sheet` the first sheet, `exact` the hidden one.
  func change(_ path: String, _ script: String) throws {
    try Judge.run([
      "-c",
      """
      import sys, openpyxl
      book = openpyxl.load_workbook(sys.argv[1])
      sheet = book.worksheets[0]
      exact = book["_exact"] if "_exact" in book.sheetnames else None
      def cell(id, field):
          column = [it.value for it in sheet[1]].index(field)
          return next(row[column] for row in sheet.iter_rows(min_row=2) if row[0].value == id)
      \(script)
      book.save(sys.argv[1])
      """, path,
    ])
  }

  /// What openpyxl finds, as JSON.
  func ask<Answer: Decodable>(
    _ path: String,
    _ script: String,
    _: Answer.Type = Answer.self
  ) throws -> Answer {
    let told = try Judge.run([
      "-c",
      """
      import sys, json, math, openpyxl
      book = openpyxl.load_workbook(sys.argv[1])
      sheet = book.worksheets[0]
      header = [it.value for it in sheet[1]]
      def column(field):
          return [row[header.index(field)] for row in sheet.iter_rows(min_row=2)]
      print(json.dumps(\(script)))
      """, path,
    ])
    return try JSONDecoder().decode(Answer.self, from: told)
  }

  func expectSame(_ found: [RawDocument], _ expected: [RawDocument], _ what: String = "") throws {
    try #require(found.count == expected.count, "\(what)")
    for (now, was) in zip(found, expected) {
      #expect(now.path == was.path, "\(what)")
      if now.fields == was.fields { continue }
      for entry in was.fields.entries where now.fields[entry.name] != entry.value {
        Issue.record(
          "\(what), \(was.path), \(entry.name): \(entry.value) and \(String(describing: now.fields[entry.name]))"
        )
      }
      #expect(now.fields.entries.count == was.fields.entries.count, "\(what), \(was.path)")
    }
  }

}
