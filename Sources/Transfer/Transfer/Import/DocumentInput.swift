import FirestoreModels
import Tables

/// Documents on their way in, in the order of their file, whatever that is kept in.
protocol DocumentInput: AnyObject {
  /// The next one, nil at the end.
  ///
  /// - Throws: ``Failure`` where nothing further can be read.
  func next() throws(Failure) -> DocumentRow?

  /// Goes on behind a line or row without looking at what comes before.
  ///
  /// - Throws: As ``next()``.
  func skip(through number: Int) throws(Failure)

  /// Bytes of the source up to the end of the line or row, as they are on the disk.
  var position: Int { get }

  /// The row that was read last as a line of the list of rejected rows; nil where the input has no such list.
  func rejected(_ reason: String) -> RejectedRow?
}

/// A row unchanged in a list of rejected rows.
struct RejectedRow {
  /// The bytes before the first row.
  var header: [UInt8]
  /// The row, with its end.
  var line: [UInt8]
}

/// One line or row of an input.
struct DocumentRow {
  /// Its number in the file or sheet, from 1.
  var number: Int
  /// The document: nil where nothing of it can be used, and without the fields that cannot be read.
  var document: RawDocument?
  /// What is wrong with it; a whole document has none.
  var faults: [RowFault] = []

  /// Whether there is a document and nothing is wrong with it.
  var isWhole: Bool { document != nil && faults.isEmpty }
}

/// Something in a line or row that is not as it has to be.
struct RowFault {
  /// The number of the line or row.
  var row: Int
  /// The number of the column, from 1; nil for the row as a whole.
  var column: Int?
  /// The column's heading.
  var heading: String?
  /// The value: a person's data, for the report alone.
  var value: String?
  /// What is expected.
  var expected: String
  /// What a command ends with that stops here.
  var failure: Failure
}

/// JSON Lines as documents.
final class JSONLinesInput: DocumentInput {
  private var reader: JSONLinesReader

  init(_ path: String) throws(Failure) {
    reader = try JSONLinesReader(path)
  }

  func next() throws(Failure) -> DocumentRow? {
    guard let line = try reader.next() else { return nil }
    switch line.document {
    case .success(let document): return DocumentRow(number: line.number, document: document)
    case .failure(let failure):
      let fault = RowFault(row: line.number, expected: failure.cause, failure: failure)
      return DocumentRow(number: line.number, faults: [fault])
    }
  }

  func skip(through number: Int) throws(Failure) { try reader.skip(through: number) }

  var position: Int { reader.position }

  func rejected(_ reason: String) -> RejectedRow? { nil }
}
