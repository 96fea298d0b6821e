import CReference
import FirestoreModels
import FirestoreREST
import GymModels
import Platform
import Schema
import Tables

/// The work of one page, in Swift and in the reference.
final class Bench {
  private let page: Page
  private let rounds: Int
  private let parser = JSONParser()
  private let reference = reference_create()
  private var documents: [RawDocument] = []

  init(page: Page, rounds: Int) {
    self.page = page
    self.rounds = rounds
  }

  deinit {
    reference_destroy(reference)
  }

  // MARK: The work

  private func decodeInSwift() {
    do throws(WireError) {
      documents = try parser.parse(page.json) { (root) throws(WireError) in
        var decoder = WireDecoder()
        var documents: [RawDocument] = []
        documents.reserveCapacity(page.count)
        guard let list = root["documents"] else { return documents }
        for element in list.elements {
          documents.append(try decoder.document(element, prefix: Page.database))
        }
        return documents
      }
    } catch {
      fatalError("\(error)")
    }
  }

  private func decodeInReference() {
    let count = reference_decode(reference, page.json, page.json.count, Page.database)
    precondition(count == page.count)
  }

  private func encodeInSwift(into json: inout JSONWriter) {
    json.removeAll()
    for document in documents {
      // A line is a text of its own: no comma behind the last one.
      var line = JSONWriter()
      swap(&line.bytes, &json.bytes)
      line.document(document, times: false)
      line.bytes.append(UInt8(ascii: "\n"))
      swap(&line.bytes, &json.bytes)
    }
  }

  private func encodeInReference() -> UnsafeBufferPointer<UInt8> {
    var bytes: UnsafePointer<UInt8>?
    let count = reference_encode(reference, &bytes)
    return UnsafeBufferPointer(start: bytes, count: count)
  }

  /// Both sides write the same bytes of what they decoded, so they built the same values.
  func checkSameness() throws {
    decodeInSwift()
    decodeInReference()
    var json = JSONWriter()
    encodeInSwift(into: &json)
    guard encodeInReference().elementsEqual(json.bytes) else { throw Difference() }
    reference_release(reference)
    documents = []
    print("page: \(page.count) documents, \(page.json.count) bytes; \(rounds) rounds, CPU time, medians")
  }

  struct Difference: Error, CustomStringConvertible {
    var description: String { "the reference and gymmigrate decode different values" }
  }

  /// The documents of the page.
  func decoded() -> [RawDocument] {
    decodeInSwift()
    defer { documents = [] }
    return documents
  }

  // MARK: What is measured

  func decode() {
    let times = Rounds(
      [
        .init("simdjson, parse only") { [self] in
          precondition(reference_parse(reference, page.json, page.json.count) == 1)
        },
        .init("simdjson + C++ values", cleanUp: { [self] in reference_release(reference) }) { [self] in
          decodeInReference()
        },
        .init("gymmigrate", cleanUp: { [self] in documents = [] }) { [self] in decodeInSwift() },
        .init("simdjson + C++ values, released") { [self] in
          decodeInReference()
          reference_release(reference)
        },
        .init("gymmigrate, released") { [self] in
          decodeInSwift()
          documents = []
        },
        .init("gymmigrate, parse only") { [self] in
          _ = try? parser.parse(page.json) { $0.kind }
        },
      ],
      count: rounds
    )
    let bytes = Double(page.json.count)
    func rate(_ rival: Int) -> String { "\(text(bytes / times.median(rival) / 1e6, 0)) MB/s" }
    func ratio(_ rival: Int, to other: Int) -> String {
      "\(text(times.ratio(rival, to: other))) x (shortest turns: \(text(times.bestRatio(rival, to: other))) x)"
    }
    print("decode: simdjson parse only        \(rate(0))")
    print("decode: gymmigrate parse only      \(rate(5))  \(ratio(5, to: 0))")
    print("decode: simdjson + C++ values      \(rate(1))")
    print("decode: gymmigrate                 \(rate(2))  \(ratio(2, to: 1))")
    print("decode: C++, built and released    \(rate(3))")
    print("decode: gymmigrate, likewise       \(rate(4))  \(ratio(4, to: 3))")
  }

  func encode() {
    decodeInSwift()
    decodeInReference()
    var json = JSONWriter()
    encodeInSwift(into: &json)
    let source = json.bytes
    var copy = [UInt8](repeating: 0, count: source.count)
    let times = Rounds(
      [
        .init("memcpy") {
          source.withUnsafeBytes { from in copy.withUnsafeMutableBytes { $0.copyMemory(from: from) } }
        },
        .init("C++") { [self] in precondition(encodeInReference().count == source.count) },
        .init("gymmigrate") { [self] in encodeInSwift(into: &json) },
      ],
      count: rounds
    )
    let bytes = Double(source.count)
    func rate(_ rival: Int) -> String { "\(text(bytes / times.median(rival) / 1e6, 0)) MB/s" }
    print("encode: memcpy                     \(rate(0))")
    print("encode: C++ writer                 \(rate(1))")
    print("encode: gymmigrate                 \(rate(2))  \(text(times.ratio(2, to: 1))) x C++")
    reference_release(reference)
    documents = []
  }

  func csv() throws {
    decodeInSwift()
    guard let collection = CollectionPath("members") else { return }
    let folder = "/dev/shm"
    var options = CSVOptions()
    options.schema = GymSchema.schema
    let writer = try CSVWriter("\(folder)/measure-\(getpid()).csv", collection: collection, options: options)
    var json = JSONWriter()
    var failure: Failure?
    let times = Rounds(
      [
        .init("JSON Lines, in memory") { [self] in encodeInSwift(into: &json) },
        .init("CSV, to a spool in memory") { [self] in
          do throws(Failure) { try writer.append(contentsOf: documents) } catch { failure = error }
        },
      ],
      count: rounds
    )
    if let failure { throw failure }
    print(
      "csv:    gymmigrate                 \(text(Double(page.count) / times.median(1), 0)) documents/s, "
        + "\(text(times.ratio(1, to: 0))) x JSON Lines in memory"
    )
    documents = []
  }
}
