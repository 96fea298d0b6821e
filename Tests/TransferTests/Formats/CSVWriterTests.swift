import Files
import FirestoreModels
import Foundation
import GymModels
import Schema
import Testing

@testable import Tables

private let products = CollectionPath("products").unsafelyKnown

extension Optional {
  /// A literal of a test that is known to be well formed.
  fileprivate var unsafelyKnown: Wrapped {
    guard let self else { preconditionFailure("a test's literal is malformed") }
    return self
  }
}

private func document(_ path: String, _ fields: FieldMap) -> RawDocument {
  RawDocument(path: DocumentPath(path).unsafelyKnown, fields: fields)
}

private func csv(
  _ documents: [RawDocument],
  of collection: CollectionPath = products,
  fields: [FieldPath]? = nil,
  options: CSVOptions = CSVOptions(),
  pages: Int = 2
) throws -> [UInt8] {
  let folder = try ScratchFolder()
  var options = options
  options.schema = GymSchema.schema
  let writer = try CSVWriter(folder.file("out.csv"), collection: collection, fields: fields, options: options)
  for start in stride(from: 0, to: documents.count, by: pages) {
    try writer.append(contentsOf: Array(documents[start..<min(start + pages, documents.count)]))
  }
  try writer.finish()
  #expect(writer.documentCount == documents.count)
  #expect(folder.names == ["out.csv"])
  return try contents(folder.file("out.csv"))
}

/// A reader of RFC 4180 that also reports whether a cell was quoted.
private func rows(
  _ bytes: [UInt8],
  delimiter: UInt8 = UInt8(ascii: ",")
) -> [[(text: [UInt8], isQuoted: Bool)]] {
  var rows: [[(text: [UInt8], isQuoted: Bool)]] = []
  var row: [(text: [UInt8], isQuoted: Bool)] = []
  var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  while at < bytes.count {
    var cell: [UInt8] = []
    let isQuoted = bytes[at] == UInt8(ascii: "\"")
    if isQuoted {
      at += 1
      while true {
        if bytes[at] == UInt8(ascii: "\"") {
          at += 1
          if at >= bytes.count || bytes[at] != UInt8(ascii: "\"") { break }
        }
        cell.append(bytes[at])
        at += 1
      }
    } else {
      while bytes[at] != delimiter, bytes[at] != 0x0D {
        cell.append(bytes[at])
        at += 1
      }
    }
    row.append((cell, isQuoted))
    if bytes[at] == delimiter {
      at += 1
      continue
    }
    #expect(bytes[at] == 0x0D && bytes[at + 1] == 0x0A)
    at += 2
    rows.append(row)
    row = []
  }
  #expect(row.isEmpty)
  return rows
}

private func merge(_ rest: FieldMap, into fields: inout FieldMap) {
  for entry in rest.entries {
    if case .map(let inner) = entry.value, !inner.isEmpty, case .map(var known)? = fields[entry.name] {
      merge(inner, into: &known)
      fields[entry.name] = .map(known)
    } else {
      fields[entry.name] = entry.value
    }
  }
}

/// The documents that a CSV with field names in its header says.
private func documents(
  _ bytes: [UInt8],
  of collection: CollectionPath = products,
  options: CSVOptions = CSVOptions()
) throws -> [RawDocument] {
  let rows = rows(bytes, delimiter: options.delimiter.byte)
  let known = GymSchema.schema.columns(of: collection)
  let cellText = try CellText(nullText: options.nullText, neutralisesFormulas: options.isForExcel)
  let parser = JSONParser()
  let columns = try rows[0].dropFirst().map { cell in
    let path = try FieldPath(parsing: String(decoding: cell.text, as: UTF8.self))
    return known.first { $0.path == path } ?? Column(unknown: path)
  }
  return try rows.dropFirst().map { row in
    try #require(row.count == rows[0].count)
    var fields = FieldMap()
    for (cell, column) in zip(row.dropFirst(), columns) {
      let value = try cell.text.withUnsafeBufferPointer {
        try cellText.value(of: $0, isQuoted: cell.isQuoted, as: column.type, parser: parser)
      }
      guard let value else { continue }
      if column.path.description == "__rest__" {
        merge(value.map ?? FieldMap(), into: &fields)
      } else {
        fields[column.path] = value
      }
    }
    var name = String(decoding: row[0].text, as: UTF8.self)
    if options.isForExcel, name.hasPrefix("'") { name.removeFirst() }
    return document("\(collection)/\(name)", fields)
  }
}

@Suite struct CSVWriterTests {
  @Test(
    "A text that an import would take for an error of a spreadsheet is REST JSON in any column.",
    arguments: [
      "#REF!", " #NAME?", "#N/A", "#¡REF!", "#ERROR!", "#SPILL!", "#OBTENIENDO_DATOS", "Err:502", "######",
    ]
  )
  func errors(text: String) throws {
    let bytes = try csv([document("products/p", ["name": .string(text), "note": .string(text)])])
    let row = try #require(rows(bytes).last)
    let json = #"{"stringValue":"\#(text)"}"#
    #expect(row.count { String(decoding: $0.text, as: UTF8.self) == json } == 2)
    let plain = try csv([document("products/p", ["name": .string("##"), "note": .string("Err:1")])])
    #expect(!String(decoding: plain, as: UTF8.self).contains("stringValue"))
  }

  @Test func aTableOfTheCatalogue() throws {
    let moment = Timestamp("2026-01-31T18:00:00.120Z").unsafelyKnown
    let bytes = try csv([
      document(
        "products/p1",
        [
          "name": .string("Agua \"1 L\", fría"), "price": .double(10), "stock": .integer(7),
          "isActive": .boolean(true),
          "createdAt": .timestamp(moment), "sku": .string("0012"), "description": .string(""),
          "imageURL": .null,
          "priceHistory": .array([.integer(1), .double(2), .string("x")]),
        ]
      ),
      document("products/p2", ["name": .string("null"), "price": .integer(10), "stock": .string("7")]),
    ])
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "__name__,id,name,description,category,price,costPrice,currency,stock,sku,imageURL,isActive,"
        + "priceHistory,createdAt,updatedAt\r\n"
        + "p1,,\"Agua \"\"1 L\"\", fría\",\"\",,10.0,,,7,0012,null,true,\"[1,2.0,\"\"x\"\"]\","
        + "2026-01-31T18:00:00.120Z,\r\n"
        + "p2,,\"{\"\"stringValue\"\":\"\"null\"\"}\",,,\"{\"\"integerValue\"\":\"\"10\"\"}\",,,"
        + "\"{\"\"stringValue\"\":\"\"7\"\"}\",,,,,,\r\n"
    )
  }

  @Test func unknownFieldsComeInOrderOfAppearanceAndEarlierRowsAreFilled() throws {
    let notes = CollectionPath("notes").unsafelyKnown
    let bytes = try csv(
      [
        document("notes/a", ["z": .string("x\r\ny")]),
        document("notes/b", ["m": .map(["k.1": .integer(1), "n": .map([:])]), "a": .string("1")]),
        document("notes/c", ["m": .null]),
        document("notes/d/sub/e", [:]),
      ],
      of: notes,
      pages: 1
    )
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "__name__,z,a,m.`k.1`,m.n,m\r\n"
        + "a,\"x\r\ny\",,,,\r\n"
        + "b,,\"{\"\"stringValue\"\":\"\"1\"\"}\",1,{},\r\n"
        + "c,,,,,null\r\n"
        + "d/sub/e,,,,,\r\n"
    )
  }

  @Test func chosenFieldsNeedNoSpoolAndKeepTheirOrder() throws {
    let bytes = try csv(
      [document("products/p1", ["stock": .integer(1), "tags": .map(["a": .boolean(true)]), "x": .null])],
      fields: [FieldPath(field: "tags"), FieldPath(field: "stock")]
    )
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "__name__,tags,stock\r\n"
        + "p1,\"{\"\"mapValue\"\":{\"\"fields\"\":{\"\"a\"\":{\"\"booleanValue\"\":true}}}}\",1\r\n"
    )
    #expect(throws: Failure.self) {
      try csv([], fields: [try FieldPath(parsing: "a.b"), FieldPath(field: "a")])
    }
  }

  @Test func labelsDelimiterZoneNullAndExcel() throws {
    var options = CSVOptions()
    options.delimiter = .semicolon
    options.header = .labels("es")
    options.nullText = "\\N"
    options.timeZone = try LocalTimeZone(named: "America/Mexico_City")
    options.isForExcel = true
    let bytes = try csv(
      [
        document(
          "classBookings/-c1",
          [
            "id": .string("a;b"), "estado": .string("=1+1"), "userId": .null, "classId": .string("'=x"),
            "createdAt": .timestamp(Timestamp("2022-07-01T12:00:00Z").unsafelyKnown),
            "updatedAt": .timestamp(Timestamp("2026-07-01T12:00:00.000001Z").unsafelyKnown),
            "Clase": .integer(-1),
          ]
        )
      ],
      of: CollectionPath("classBookings").unsafelyKnown,
      options: options
    )
    #expect(
      String(decoding: bytes, as: UTF8.self).dropFirst(1)
        == "__name__;Clase;Usuario;Gimnasio;Estado;Creado;`Clase`;id;updatedAt\r\n"
        + "'-c1;''=x;\\N;;'=1+1;2022-07-01T07:00:00-05:00;-1;\"a;b\";2026-07-01T06:00:00.000001-06:00\r\n"
    )
    #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF]))
  }

  @Test("Plain cells are what people expect to see, without types.")
  func plainCells() throws {
    var options = CSVOptions()
    options.isPlain = true
    options.timeZone = try LocalTimeZone(named: "America/Mexico_City")
    func moment(_ text: String) -> Value { .timestamp(Timestamp(text).unsafelyKnown) }
    let one: FieldMap = [
      "sku": .integer(5_512_345_678), "price": .string("12.50"), "stock": .double(499),
      "name": .string("[VIP] Ana"),
      "isActive": .string("sí"), "description": .integer((1 << 53) + 1), "imageURL": .null,
      "costPrice": .double(0.1 + 0.2),
      "createdAt": moment("2026-01-01T06:00:00Z"), "updatedAt": moment("2026-07-01T12:00:00.000001Z"),
      "priceHistory": .array([.map(["price": .double(10), "at": moment("2026-01-01T06:00:00Z")])]),
    ]
    let two: FieldMap = [
      // The second pass of the hour that came twice has no local time of its own.
      "createdAt": moment("2022-10-30T07:30:00Z"), "name": .string("null"), "sku": .string("007"),
      "description": .string(""),
      "place": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)), "photo": .bytes([0, 1, 2]),
      "who": .reference("projects/p/databases/d/documents/users/u1"), "none": .map([:]),
    ]
    #expect(
      String(
        decoding: try csv([document("products/p1", one), document("products/p2", two)], options: options),
        as: UTF8.self
      )
        == "__name__,id,name,description,category,price,costPrice,currency,stock,sku,imageURL,isActive,priceHistory,"
        + "createdAt,updatedAt,none,photo,place,who\r\n"
        + "p1,,[VIP] Ana,9007199254740993,,12.50,0.30000000000000004,,499,5512345678,null,sí,"
        + "\"[{\"\"at\"\":\"\"2026-01-01 00:00:00\"\",\"\"price\"\":10.0}]\","
        + "2026-01-01 00:00:00,2026-07-01 06:00:00.000001,,,,\r\n"
        + "p2,,null,\"\",,,,,,007,,,,2022-10-30T07:30:00Z,,{},AAEC,\"19.5, -99\",users/u1\r\n"
    )
  }

  @Test("For Excel, plain texts of any type that look like formulas are neutralised, numbers are not.")
  func plainCellsForExcel() throws {
    var options = CSVOptions()
    options.isPlain = true
    options.isForExcel = true
    let bytes = try csv(
      [
        document(
          "products/p1",
          [
            "a": .integer(-7), "b": .string("-7"), "c": .geoPoint(GeoPoint(latitude: -1, longitude: 2)),
            "d": .bytes([0xF8]), "e": .double(-0.5), "f": .reference("=x"),
          ]
        )
      ],
      fields: ["a", "b", "c", "d", "e", "f"].map { FieldPath(field: $0) },
      options: options
    )
    #expect(
      String(decoding: bytes.dropFirst(3), as: UTF8.self)
        == "__name__,a,b,c,d,e,f\r\np1,-7,'-7,\"'-1, 2\",'+A==,-0.5,'=x\r\n"
    )
  }

  @Test("Every delimiter that no cell has by itself separates cells of every type.")
  func delimiters() throws {
    let signs = (UInt8(0x21)..<0x7F).compactMap { CSVDelimiter(rawValue: String(UnicodeScalar($0))) }
    #expect(signs.filter(\.isWithinCells).map(\.rawValue) == ["+", "-", ".", ":", "_"])
    let point = Value.geoPoint(GeoPoint(latitude: -19.4, longitude: 1e-7))
    let values: [Value] = [
      .null, .boolean(true), .integer(-7), .double(-0.5), .double(1e22), .double(-.infinity), .string(""),
      .string("-1"),
      .string(signs.map(\.rawValue).joined()),
      .timestamp(try #require(Timestamp("2026-01-31T18:00:00.120Z"))), point,
      .bytes([251, 255]), .array([.integer(-1), .double(1.5), .null, .string("a;b")]), .map([:]),
      .reference("projects/p/databases/d/documents/cars/c-1"),
    ]
    for delimiter in signs + [.tab] where !delimiter.isWithinCells {
      var options = CSVOptions()
      options.delimiter = delimiter
      let original = values.enumerated().map { index, value in
        document("products/p\(index)", ["x": value, "a_b": value])
      }
      let read = try documents(try csv(original, options: options, pages: 7), options: options)
      #expect(read.map(\.fields) == original.map(\.fields), "\(delimiter.rawValue)")
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6])
  func nothingIsLostOnTheWayBack(seed: UInt64) throws {
    var trouble = FaultInjector(seed: seed)
    var options = CSVOptions()
    options.delimiter = trouble.pick(CSVDelimiter.usual)
    options.nullText = trouble.pick(["null", "\\N", "7", "true", "", "a,b"])
    options.isForExcel = seed % 2 == 0
    if seed % 3 == 0 { options.timeZone = try LocalTimeZone(named: "America/Mexico_City") }
    let original = (0..<200).map { document("products/p\($0)", trouble.fields()) }
    let bytes = try csv(original, options: options, pages: 7)
    let read = try documents(bytes, options: options)
    try #require(read.count == original.count)
    for (was, now) in zip(original, read) {
      // An empty token for null is the one choice that gives null up.
      let expected = options.nullText.isEmpty ? withoutNulls(was.fields) : was.fields
      #expect(now.fields == expected, "seed \(seed), \(was.path)")
    }
    if Judge.hasPython {
      let folder = try ScratchFolder()
      let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
      let file = try folder.write(body, to: "out.csv")
      let judged = try JSONDecoder().decode(
        [[String]].self,
        from: try Judge.run([Judge.script("read_csv.py"), file, options.delimiter.rawValue])
      )
      let ours = rows(bytes, delimiter: options.delimiter.byte).map { $0.map { Array($0.text) } }
      #expect(judged.map { $0.map { Array($0.utf8) } } == ours, "seed \(seed)")
    }
  }

  private func withoutNulls(_ fields: FieldMap) -> FieldMap {
    FieldMap(
      fields.entries.compactMap { entry in
        if entry.value.isNull { return nil }
        guard case .map(let inner) = entry.value, !inner.isEmpty, inner.vector == nil else { return entry }
        let left = withoutNulls(inner)
        return left.isEmpty ? nil : FieldMap.Entry(name: entry.name, value: .map(left))
      }
    )
  }

  @Test func keysOfTheirOwnInEveryDocumentEndInOneColumn() throws {
    let original = (0..<2000).map { number in
      document(
        "products/p\(number)",
        [
          "m": .map(["k\(number)": .integer(Int64(number)), "same": .null]),
          "top\(number)": .map(["x": .null]),
        ]
      )
    }
    let bytes = try csv(original, pages: 300)
    let header = rows(bytes)[0]
    #expect(header.count == 1 + ColumnPlan.maximumColumns + 1)
    #expect(header.last.map { String(decoding: $0.text, as: UTF8.self) } == "__rest__")
    let read = try documents(bytes)
    #expect(read == original)
  }

  /// A column that appears when the header is in the file already, in memory still, or not at all.
  @Test(arguments: [[], [5], [700], [5, 2500], [2999], [1500, 2500]] as [[Int]])
  func columnsThatAppearLateAreInTheHeader(late: [Int]) throws {
    let original = (0..<3000).map { number in
      var fields: FieldMap = [
        "name": .string("\(number) \"" + String(repeating: "x, ", count: 150)),
        "stock": .integer(Int64(number)),
      ]
      for (index, first) in late.enumerated() where number >= first && number % 2 == first % 2 {
        fields["zz\(index)"] = .map(["a\(number % 3)": .boolean(true)])
      }
      return document("products/p\(number)", fields)
    }
    let bytes = try csv(original, pages: 300)
    #expect(bytes.count > 1_300_000)
    #expect(try documents(bytes) == original)
    let known = GymSchema.schema.columns(of: products).count
    // In the last document only one of the three appears.
    #expect(rows(bytes)[0].count == 1 + known + late.reduce(0) { $0 + ($1 == 2999 ? 1 : 3) })
    // A part has the same rows; a file that cannot be taken back, which is compressed, the same bytes.
    var part = CSVOptions()
    part.isPart = true
    let body = try csv(original, options: part, pages: 300)
    #expect(body.count < bytes.count)
    #expect(bytes.suffix(body.count).elementsEqual(body))
    let folder = try ScratchFolder()
    var options = CSVOptions()
    options.schema = GymSchema.schema
    let writer = try CSVWriter(folder.file("out.csv.gz"), collection: products, options: options)
    try writer.append(contentsOf: original)
    try writer.finish()
    var unpacked: [UInt8] = []
    var input = try InputFile(folder.file("out.csv.gz"))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try input.read(into: buffer), count > 0 {
      unpacked.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    #expect(unpacked == bytes)
  }

  @Test(arguments: ["{", "[x", "a\nb", "{\"nullValue\":null}"])
  func tokensThatReadAsSomethingElseAreRefused(token: String) {
    let failure = #expect(throws: Failure.self) { try CellText(nullText: token) }
    #expect(failure?.kind == .usage)
  }

  @Test func spreadsheetsMayRewriteNumbers() throws {
    let cellText = try CellText()
    let parser = JSONParser()
    func read(_ text: String, _ type: Column.ValueType) throws(CellError) -> Value? {
      let bytes = Array(text.utf8)
      return try bytes.withUnsafeBufferPointer { bytes throws(CellError) in
        try cellText.value(of: bytes, isQuoted: false, as: type, parser: parser)
      }
    }
    #expect(try read("10", .double) == .double(10))
    #expect(try read("12.0", .integer) == .integer(12))
    #expect(try read("TRUE", .boolean) == .boolean(true))
    #expect(try read("007", .any) == .string("007"))
    #expect(try read("7", .string) == .string("7"))
    #expect(throws: CellError.self) { try read("1.5", .integer) }
    #expect(throws: CellError.self) { try read("si", .boolean) }
    #expect(throws: CellError.self) { try read("{\"integerValue\":\"7\",\"x\":1}", .integer) }
    #expect(throws: CellError.self) { try read("{\"a\":1}", .string) }
  }
}
