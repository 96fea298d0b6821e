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

  private var ofCommands: [[UTF8Key]: Line] = [:]
  private var ofCollections: [[UTF8Key]: Documents] = [:]
  package private(set) var all = Line(environment: "", command: "")

  package init() {}

  package var lines: [Line] { Self.sorted(ofCommands) }
  package var documents: [Documents] { Self.sorted(ofCollections) }

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
    let (environment, command) = (record.environment, record.command)
    let line = Line(environment: environment, command: command)
    ofCommands[[UTF8Key(environment), UTF8Key(command)], default: line].add(record)
    for one in record.collections {
      let key = [UTF8Key(environment), UTF8Key(one.name)]
      var own = ofCollections[key] ?? Documents(environment: environment, collection: one.name)
      own.read = own.read.addingClamped(one.read)
      own.written = own.written.addingClamped(one.written)
      own.deleted = own.deleted.addingClamped(one.deleted)
      ofCollections[key] = own
    }
  }

  private static func sorted<Totals>(_ totals: [[UTF8Key]: Totals]) -> [Totals] {
    totals.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}
