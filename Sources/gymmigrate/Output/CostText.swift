import Configuration

/// Tables of what runs were billed.
enum CostText {
  static func lines(_ totals: CostTotals) -> [TerminalText] {
    if totals.lines.isEmpty { return [] }
    var sum = totals.all
    sum.environment = "all"
    let shown = totals.lines + (totals.lines.count > 1 ? [sum] : [])
    let heading = ["environment", "command", "runs", "reads", "writes", "deletes", "received", "USD"]
    let costs = TerminalText.aligned([heading] + shown.map { row($0) }, numbers: Set(2...7))
    if totals.documents.isEmpty { return costs }
    let rows = totals.documents.map { documents in
      [documents.environment, documents.collection]
        + [documents.read, documents.written, documents.deleted].map { NumberText.grouped($0) }
    }
    let columns = ["environment", "collection", "read", "written", "deleted"]
    return costs + [""] + TerminalText.aligned([columns] + rows, numbers: [2, 3, 4])
  }

  private static func row(_ line: CostTotals.Line) -> [String] {
    let billed = line.billed
    let numbers = [line.runs, billed.reads, billed.writes, billed.deletes]
    return [line.environment, line.command] + numbers.map { NumberText.grouped($0) }
      + [bytes(line.bytesIn), line.usd.map { dollars($0) } ?? "not known"]
  }

  private static func bytes(_ count: Int) -> String { "\(NumberText.grouped((count + 1023) / 1024)) KiB" }

  /// Rounded up to a hundredth of a cent, so that the rows of small runs add up to their sum.
  private static func dollars(_ dollars: Double) -> String {
    let parts = Int(clamping: ((dollars * 1e8).rounded() / 1e4).rounded(.up))
    return "\(parts / 10_000).\(String(10_000 + parts % 10_000).dropFirst())"
  }
}
