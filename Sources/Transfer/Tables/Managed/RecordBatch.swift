import Dispatch
import Files
import FirestoreModels

/// Records of a managed export that are decoded together, by whoever comes first: another thread, or the one that needs
/// them and would have to wait.
final class RecordBatch: Sendable {
  /// Where a record stands, for errors.
  struct Place: Sendable {
    /// The number of its document.
    var number: Int
    var path: String
    var record: Int
    var block: Int
  }

  struct Records: Sendable {
    /// The bytes from which on nothing more is added.
    private static let fullBytes = 64 << 10

    private let database: DatabaseName?
    private var bytes: [UInt8] = []
    /// The records: where they stand, and where they end.
    private var records: [(place: Place, end: Int)] = []

    init(of export: ManagedExport) {
      database = export.database
      bytes.reserveCapacity(Self.fullBytes)
    }

    var isEmpty: Bool { records.isEmpty }
    var hasRoom: Bool { bytes.count < Self.fullBytes }

    mutating func add(_ record: UnsafeRawBufferPointer, at place: Place) {
      bytes.append(contentsOf: record)
      records.append((place, bytes.count))
    }

    func decoded() -> [ManagedReader.Document] {
      bytes.withUnsafeBytes { bytes in
        var start = 0
        return records.map { place, end in
          defer { start = end }
          do throws(WireError) {
            return (
              place.number, .success(try document(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            )
          } catch {
            let cause = "record \(place.record) (block \(place.block)): \(error)"
            return (place.number, .failure(.malformed(place.path, cause)))
          }
        }
      }
    }

    private func document(_ entity: UnsafeRawBufferPointer) throws(WireError) -> RawDocument {
      let (own, document) = try EntityDecoder.document(entity)
      if let database, own != database {
        throw WireError("it is of another database (\(own)) than the first")
      }
      return document
    }
  }

  private enum State {
    case waiting(Records)
    case begun
    case done([ManagedReader.Document])
  }

  private let state: Locked<State>
  private let end = DispatchSemaphore(value: 0)

  init(_ records: Records) { state = Locked(.waiting(records)) }

  /// Has the records decoded by another thread, as soon as there is one.
  func begin() {
    DispatchQueue.global().async {
      guard let records = self.take() else { return }
      let documents = records.decoded()
      self.state.withLock { $0 = .done(documents) }
      self.end.signal()
    }
  }

  /// The documents; called once.
  func documents() -> [ManagedReader.Document] {
    if let records = take() { return records.decoded() }
    end.wait()
    return state.withLock { state in
      guard case .done(let documents) = state else { return [] }
      return documents
    }
  }

  /// The records, for whoever asks first.
  private func take() -> Records? {
    state.withLock { state in
      guard case .waiting(let records) = state else { return nil }
      state = .begun
      return records
    }
  }
}
