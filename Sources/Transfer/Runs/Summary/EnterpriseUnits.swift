package import Configuration
package import FirestoreREST

/// What a run used of the units that the Enterprise edition bills: 4 KiB of a document read, 1 KiB of one written.
///
/// The service does not report them. By its size, a document uses at least one unit, and at most those of its JSON. In
/// addition, only the service knows about index entries, and about documents scanned by a filter without an index.
package struct EnterpriseUnits: Encodable, Sendable {
  /// A lower and an upper bound.
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

  /// A line for display.
  package var text: String {
    let written = writes.most == 0 ? "" : " and \(writes.text) write units of 1 KiB"
    return
      "Enterprise edition, by bytes: \(reads.text) read units of 4 KiB\(written), beside index entries and filters without an index."
  }
}
