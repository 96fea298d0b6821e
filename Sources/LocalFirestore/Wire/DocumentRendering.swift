import FirestoreModels

/// Renders documents of one database into answers.
///
/// Stored fields are JSON already and are copied as they are; only a
/// mask makes them be read.
struct DocumentRenderer {
  /// `projects/P/databases/D/documents/` within quotes, escaped, without the closing quote.
  private let prefix: [UInt8]
  private let mask: [FieldPath]?
  private let runner: QueryRunner

  /// Makes a renderer; a nil mask gives every field.
  init(_ database: DatabaseName, mask: [FieldPath]?, runner: QueryRunner) {
    var json = JSONWriter()
    json.string(database.documents + "/")
    prefix = Array(json.bytes.dropLast())
    self.mask = mask
    self.runner = runner
  }

  /// Appends a document.
  func append(_ document: FoundDocument, to out: inout [UInt8]) throws {
    out.append(contentsOf: "{\"name\":".utf8)
    appendName(document.path, to: &out)
    if let mask {
      var kept = FieldMap()
      if mask.contains(where: { $0 != .documentName }) {
        let fields = try runner.fields(document.fields)
        for path in mask {
          if let value = fields[path] { kept[path] = value }
        }
      }
      if !kept.isEmpty {
        out.append(contentsOf: ",\"fields\":".utf8)
        var json = JSONWriter()
        json.fields(kept)
        out.append(contentsOf: json.bytes)
      }
    } else if document.fields.count > 2 {
      out.append(contentsOf: ",\"fields\":".utf8)
      out.append(contentsOf: document.fields)
    }
    out.append(contentsOf: ",\"createTime\":\"".utf8)
    Timestamp(microseconds: document.createTime).append(to: &out)
    out.append(contentsOf: "\",\"updateTime\":\"".utf8)
    Timestamp(microseconds: document.updateTime).append(to: &out)
    out.append(contentsOf: "\"}".utf8)
  }

  /// Appends a document.
  func append(_ document: StoredDocument, to out: inout [UInt8]) throws {
    var path = document.path
    try path.withUTF8 { path in
      try document.fields.withUnsafeBytes { fields in
        try append(
          FoundDocument(
            path: UnsafeRawBufferPointer(path),
            createTime: document.createTime,
            updateTime: document.updateTime,
            fields: fields
          ),
          to: &out
        )
      }
    }
  }

  /// Appends the quoted full name of a document.
  func appendName(_ path: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    out.append(contentsOf: prefix)
    if path.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
      var json = JSONWriter()
      json.string(String(decoding: path, as: UTF8.self))
      out.append(contentsOf: json.bytes.dropFirst())
    } else {
      out.append(contentsOf: path)
      out.append(UInt8(ascii: "\""))
    }
  }

  /// Appends the quoted full name of a document.
  func appendName(_ path: String, to out: inout [UInt8]) {
    var path = path
    path.withUTF8 { appendName(UnsafeRawBufferPointer($0), to: &out) }
  }
}

extension [UInt8] {
  /// Appends `"name":"2026-…Z"`, in microseconds.
  mutating func appendTime(_ name: StaticString, _ microseconds: Int64) {
    append(UInt8(ascii: "\""))
    append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    append(contentsOf: "\":\"".utf8)
    Timestamp(microseconds: microseconds).append(to: &self)
    append(UInt8(ascii: "\""))
  }

  /// Appends a quoted text.
  mutating func appendQuoted(_ text: String) {
    var json = JSONWriter()
    json.string(text)
    append(contentsOf: json.bytes)
  }
}
