import Schema
import Tables

/// The documents of an input, in file order, whatever its format.
protocol DocumentInput: AnyObject {
  /// Returns the next row, or nil at the end.
  ///
  /// - Throws: ``Failure`` if nothing further can be read.
  func next() throws(Failure) -> DocumentRow?

  /// Skips all lines or rows up to a number, without parsing them as documents.
  ///
  /// - Throws: The errors of ``next()``.
  func skip(through number: Int) throws(Failure)

  /// The offset of the end of the current line or row in the file, in bytes.
  var position: Int { get }

  /// Returns the current row in the form of the list of rejected rows; nil if the input has no such list.
  func rejected(_ reason: String) -> RejectedRow?

  /// Sentences about the input, complete at its end.
  var notices: [String] { get }

  /// Sentences about what is probably wrong in the input, complete at its end.
  var warnings: [String] { get }

  /// How the input is read.
  var reading: String { get }

  /// The headings of options that were found so far; those of tables are known beforehand.
  var headings: MetHeadings { get }

  /// Returns the cell of the current row that holds a field, or the ID of the document if `field` is nil; nil if there is
  /// none.
  func cell(of field: FieldPath?) -> Cell?
}

extension DocumentInput {
  var notices: [String] { [] }

  var warnings: [String] { [] }

  var reading: String { "JSON Lines" }

  var headings: MetHeadings { MetHeadings() }

  func cell(of field: FieldPath?) -> Cell? { nil }

  func rejected(_ reason: String) -> RejectedRow? { nil }
}

/// A cell of a row.
struct Cell {
  /// The number of the column, from 1.
  var column: Int
  var heading: String?
  /// The column in words, for messages.
  var name: String
  var value: String
}

/// A row of the list of rejected rows.
struct RejectedRow {
  /// The header of the list.
  var header: [UInt8]
  /// The row, with its line end.
  var line: [UInt8]
}

/// One line or row of an input.
struct DocumentRow {
  /// The number in the file or sheet, from 1; in CSV, that of the row's first line.
  var number: Int
  /// The row number as a spreadsheet counts; nil unless it is a row of a table.
  var row: Int?
  var content = Content.nothing
  /// What is wrong with it.
  private var problems = Problems.none

  /// The errors; none in a valid row.
  var faults: [RowFault] {
    get { problems.found.faults }
    set { problems.found.faults = newValue }
  }

  /// The fields that the document lacks because of errors.
  var skipped: [FieldPath] {
    get { problems.found.skipped }
    set { problems.found.skipped = newValue }
  }

  /// Violations of the schema that do not count as errors.
  var warnings: [RowFault] {
    get { problems.found.warnings }
    set { problems.found.warnings = newValue }
  }

  /// The row in the list of rejected rows, if it has errors and its input has such a list.
  var rejected: RejectedRow? {
    get { problems.found.rejected }
    set { problems.found.rejected = newValue }
  }

  /// Rows are passed around often and few have problems, so these are one reference.
  private indirect enum Problems {
    case none
    case some(Found)

    struct Found {
      var faults: [RowFault] = []
      var skipped: [FieldPath] = []
      var warnings: [RowFault] = []
      var rejected: RejectedRow?
    }

    var found: Found {
      get { if case .some(let found) = self { found } else { Found() } }
      set { self = .some(newValue) }
    }
  }

  enum Content {
    /// Nothing of it can be used.
    case nothing
    /// The document, without fields that cannot be read.
    case document(JSONLinesReader.Document)
    /// The document was deleted.
    case deleted(DocumentPath)
    /// The document breaks the schema: as it was read, and without the offending fields, if anything is left.
    indirect case refused(RawDocument, rest: RawDocument?)
  }

  init(
    number: Int,
    row: Int? = nil,
    content: Content = .nothing,
    faults: [RowFault] = [],
    skipped: [FieldPath] = []
  ) {
    (self.number, self.row, self.content) = (number, row, content)
    if !faults.isEmpty || !skipped.isEmpty {
      problems.found = Problems.Found(faults: faults, skipped: skipped)
    }
  }

  /// The document in memory; nil if nothing of it can be used, or if it is only encoded or checked.
  var document: RawDocument? {
    switch content {
    case .nothing, .deleted: nil
    case .document(let document): document.decoded
    case .refused(_, let rest): rest
    }
  }

  /// The document as a write to the target, if it was encoded directly.
  var encoded: EncodedDocument? { if case .document(let document) = content { document.write } else { nil } }

  /// The document as it was read, if it breaks the schema.
  var refused: RawDocument? { if case .refused(let document, _) = content { document } else { nil } }

  var heldBytes: Int {
    switch content {
    case .nothing, .deleted: 0
    case .document(let document): (document.write?.heldBytes ?? 0) + (document.decoded?.heldBytes ?? 0)
    case .refused(let document, _): document.heldBytes
    }
  }

  /// The path of the document, if something of it can be used.
  var path: DocumentPath? {
    switch content {
    case .document(let document): document.path
    case .deleted(let path): path
    case .nothing, .refused: document?.path
    }
  }
}

/// An error in a line or row.
///
/// It is a class because it is expensive to copy and lists of faults are passed around often.
final class RowFault: Sendable {
  /// The number of the line or row.
  let row: Int
  /// The number of the column, from 1; nil for the entire row.
  let column: Int?
  let heading: String?
  private let cell: String?
  private let found: Value?
  /// What was expected.
  let expected: String
  /// The kind of schema violation; nil if the input could not be read.
  let code: String?
  private let cause: @Sendable () -> Failure

  /// The value, which may appear only in the report because it is personal data.
  var value: String? { cell ?? found?.literal }

  var hasValue: Bool { cell != nil || found != nil }

  /// The failure of a command that stops here.
  ///
  /// It is created on demand: of a million errors of a kind, only one is shown.
  var failure: Failure { cause() }

  init(
    row: Int,
    column: Int? = nil,
    heading: String? = nil,
    value: String? = nil,
    found: Value? = nil,
    expected: String,
    code: String? = nil,
    failure: @autoclosure @escaping @Sendable () -> Failure
  ) {
    (self.row, self.column, self.heading) = (row, column, heading)
    (cell, self.found, self.expected, self.code) = (value, found, expected, code)
    cause = failure
  }
}

/// The documents of a JSON Lines file.
final class JSONLinesInput: DocumentInput {
  private let path: String
  private var reader: JSONLinesReader
  private var mode: JSONLinesReader.Mode
  private let placement: CollectionPlacement?

  /// Opens a file.
  ///
  /// - Parameter placement: Where the documents go, as in the encoder of the mode; nil to go by their names.
  init(
    _ path: String,
    via files: FileAccess = .local,
    _ mode: JSONLinesReader.Mode = .decoded,
    placement: CollectionPlacement? = nil
  ) throws(Failure) {
    self.path = path
    reader = try JSONLinesReader(path, via: files)
    self.mode = mode
    self.placement = placement
  }

  func next() throws(Failure) -> DocumentRow? {
    guard let (number, document) = try reader.next(&mode) else { return nil }
    switch document {
    case .success(let document): return row(number, document)
    case .failure(let found):
      let failure = advised(found)
      let fault = RowFault(row: number, expected: failure.cause, failure: failure)
      return DocumentRow(number: number, faults: [fault])
    }
  }

  /// Names the format that the input is probably in; other JSON only if the format could not be detected from the content.
  private func advised(_ failure: Failure) -> Failure {
    let format: String
    switch reader.foreign {
    case .row: format = "CSV, add --format csv"
    case .json where ImportSource.isStream(path): format = "other JSON, add --format json"
    default: return failure
    }
    return failure.advising("\(path == "-" ? "Standard input" : "It") is read as JSON Lines. For \(format).")
  }

  private func row(_ number: Int, _ document: JSONLinesReader.Document) -> DocumentRow {
    var placed = document
    if let placement {
      // An encoded document is already in its place.
      if case .encoded = document { return DocumentRow(number: number, content: .document(document)) }
      guard let path = placement.path(of: document.path) else {
        return DocumentRow(
          number: number,
          faults: [placement.fault(of: "line \(number)", number, path: self.path)]
        )
      }
      placed = document.placed(at: path)
    }
    return DocumentRow(number: number, content: .document(placed))
  }

  func skip(through number: Int) throws(Failure) { try reader.skip(through: number) }

  var position: Int { reader.position }
}

extension CollectionPlacement {
  /// The error of a document that has no place in the target collection.
  func fault(of label: String, _ number: Int, path: String) -> RowFault {
    let expected = "a document of \(origin?.string ?? ""), whose place --collection takes, or one below it"
    return RowFault(
      row: number,
      expected: expected,
      failure: Failure(
        .inputMalformed,
        "import",
        path: path,
        cause: "\(label): expected \(expected)",
        remedy: "Import one collection at a time, or use --flatten to put the documents of all into one."
      )
    )
  }
}
