import Files
import FirestoreModels
import Tables

/// The documents of a managed export.
final class ManagedInput: DocumentInput {
  private let export: ManagedExport
  private let reader: ManagedReader
  private let placement: CollectionPlacement?

  init(_ export: ManagedExport, via files: FileAccess, placement: CollectionPlacement?) {
    (self.export, self.placement) = (export, placement)
    reader = ManagedReader(export, via: files)
  }

  func next() throws(Failure) -> DocumentRow? {
    guard let (number, document) = try reader.next() else { return nil }
    switch document {
    case .success(var document):
      if let placement {
        guard let path = placement.path(of: document.path) else {
          let fault = placement.fault(of: "document \(number)", number, path: export.path)
          return DocumentRow(number: number, faults: [fault])
        }
        document.path = path
      }
      return DocumentRow(number: number, content: .document(.decoded(document)))
    case .failure(let failure):
      let fault = RowFault(row: number, expected: failure.cause, failure: failure)
      return DocumentRow(number: number, faults: [fault])
    }
  }

  func skip(through number: Int) throws(Failure) { try reader.skip(through: number) }

  var position: Int { reader.position }

  var reading: String {
    let database = export.database.map { " of \($0)" } ?? ""
    let end = export.endTime.map { ", which ended at \($0)" } ?? ""
    return "a managed export\(database)\(end)"
  }

  var notices: [String] {
    if let part = export.part, part > 0 { return [] }
    return [
      "A managed export has no times of its documents: they will have been created and changed by this import."
    ]
  }
}
