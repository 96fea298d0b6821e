package import Configuration

/// Totals of what runs were billed, by environment and command, and of their documents by collection.
package struct CostTotals: Sendable {
  package struct Line: Encodable, Sendable {
    package var environment: String
    package var command: String
    package var runs = 0
    package var billed = Cost()
    /// Nil if a price was unknown.
    package var usd: Double? = 0
    package var bytesIn = 0
    package var bytesOut = 0

    package mutating func add(_ record: CostRecord) {
      runs += 1
      billed = billed + record.billed
      usd = usd.flatMap { sum in record.usd.map { Self.rounded(sum + $0) } }
      bytesIn = bytesIn.addingClamped(record.bytesIn)
      bytesOut = bytesOut.addingClamped(record.bytesOut)
    }

    /// Removes the inexact digits that doubles add to a price.
    private static func rounded(_ dollars: Double) -> Double {
      let rounded = (dollars * 1e10).rounded() / 1e10
      return rounded.isFinite ? rounded : dollars
    }
  }

  package struct Documents: Encodable, Sendable {
    package var environment: String
    package var collection: String
    package var read = 0
    package var written = 0
    package var deleted = 0
  }

  package private(set) var lines: [Line] = []
  package private(set) var documents: [Documents] = []
  package private(set) var all = Line(environment: "", command: "")

  package init() {}

  /// Adds what a run was billed, in all environments or in a single one.
  ///
  /// - Returns: Whether there is anything for the environment.
  @discardableResult
  package mutating func add(_ record: CostRecord, of environment: String? = nil) -> Bool {
    let parts = record.parts.filter { environment?.isIdentical(to: $0.environment) ?? true }
    for part in parts { add(part: part) }
    // Both sides belong to one run.
    if parts.count > 1 { all.runs -= parts.count - 1 }
    return !parts.isEmpty
  }

  private mutating func add(part record: CostRecord) {
    all.add(record)
    let index = Self.index(in: &lines, Line(environment: record.environment, command: record.command)) {
      [$0.environment, $0.command]
    }
    lines[index].add(record)
    for one in record.collections {
      let own = Documents(environment: record.environment, collection: one.name)
      let index = Self.index(in: &documents, own) { [$0.environment, $0.collection] }
      documents[index].read = documents[index].read.addingClamped(one.read)
      documents[index].written = documents[index].written.addingClamped(one.written)
      documents[index].deleted = documents[index].deleted.addingClamped(one.deleted)
    }
  }

  /// Returns the index of the element with the same names, which is inserted if it is missing; the list stays sorted.
  private static func index<Element>(
    in list: inout [Element],
    _ element: Element,
    _ names: (Element) -> [String]
  ) -> Int {
    let own = names(element)
    let index = list.firstIndex { !names($0).lexicographicallyPrecedes(own) { $0.compareUTF8($1) < 0 } }
    guard let index, names(list[index]).elementsEqual(own, by: { $0.isIdentical(to: $1) }) else {
      list.insert(element, at: index ?? list.endIndex)
      return index ?? list.endIndex - 1
    }
    return index
  }
}
