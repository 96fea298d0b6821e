import Configuration
import MigrationEngine

enum RehearsalText {
  /// - Throws: `.cannotWrite`.
  static func write(_ rehearsal: Rehearsal, at prices: PriceList, asJSON: Bool) throws(Failure) {
    if asJSON { return try StandardOutput.writeObject { members(of: rehearsal, to: &$0) } }
    for plan in rehearsal.plans { try StandardOutput.write(MigrationText.plan(plan)) }
    let cost = CostEstimate(rehearsal.cost, at: prices)
    try StandardOutput.write("To apply it: \(cost.text)\n")
    let tenths = Int((rehearsal.seconds * 10).rounded())
    try StandardOutput.write("Applied here in \(tenths / 10).\(tenths % 10) s.\n")
    for finding in rehearsal.findings {
      try StandardOutput.write(cells: [finding.code.rawValue, finding.subject, finding.message])
    }
    if rehearsal.refused > 0 {
      let count = NumberText.counted(rehearsal.refused, "document")
      try StandardOutput.write("Refused and left alone: \(count); an apply ends in 2.\n")
    }
    if rehearsal.findings.isEmpty {
      try StandardOutput.write("Passed: it can be applied again, checked and undone.\n")
    } else {
      let count = NumberText.counted(rehearsal.findings.count, "fault")
      try StandardOutput.write("Failed: \(count), listed above.\n")
    }
  }

  private static func members(of rehearsal: Rehearsal, to json: inout JSONWriter) {
    json.member("findings", objects: rehearsal.findings) { json, finding in
      json.member("code", finding.code.rawValue)
      json.member("message", finding.message)
      json.member("subject", finding.subject)
    }
    json.member("migrations", objects: rehearsal.plans) { json, plan in
      json.member("changes", plan.changeCount)
      json.member("deletes", plan.deletions)
      json.member("id", plan.migration)
      json.member("reads", plan.reads)
      json.member("rejected", plan.refused)
      json.member("review", plan.findings.filter { $0.key.kind == .review }.values.reduce(0, +))
    }
    json.member("seconds", rehearsal.seconds)
  }
}
