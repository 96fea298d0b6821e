package import Configuration
package import FirestoreREST

/// What a run took of the units that the Enterprise edition bills: 4 KiB of a document read, 1 KiB of one written.
///
/// The service does not say how many. By its bytes a document takes at least one, and no more than its JSON does. Besides these are
/// index entries, and what a filter without an index looks through, which only the service knows.
package struct EnterpriseUnits: Encodable, Sendable {
  /// At least and at most so many.
  package struct Range: Encodable, Sendable, Equatable {
    package var least: Int
    package var most: Int

    fileprivate init(of operations: Int, in bytes: Int, each size: Int) {
      (least, most) = (operations, operations == 0 ? 0 : operations.addingClamped(bytes / size))
    }

    fileprivate var text: String {
      NumberText.grouped(least) + (least == most ? "" : " to \(NumberText.grouped(most))")
    }
  }

  package var reads: Range
  package var writes: Range

  package init(of billed: Cost, _ traffic: Traffic) {
    reads = Range(of: billed.reads, in: traffic.contentIn, each: 4096)
    writes = Range(of: billed.writes.addingClamped(billed.deletes), in: traffic.bytesOut, each: 1024)
  }

  /// In a line, for people.
  package var text: String {
    let written = writes.most == 0 ? "" : " and \(writes.text) write units of 1 KiB"
    return
      "Enterprise edition, by bytes: \(reads.text) read units of 4 KiB\(written), beside index entries and filters without an index."
  }
}
