extension OwnerReport {
  /// Writes the numbers as members of a JSON object; money is in cents, in members whose names end in `Cents`.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("asOf", asOf.text)
    json.member("checkIns") { json in
      json.counts("byDay", of: "day", checkIns.byDay)
      json.key("byHour")
      json.array { list in for count in checkIns.byHour { list.integer(count) } }
      json.member("topMembers", objects: checkIns.topMembers) { row, member in
        row.member("count", member.count)
        row.member("id", member.id)
        row.optional("name", member.name)
      }
      json.member("total", checkIns.total)
    }
    if let expenses {
      json.member("expenses") { json in
        json.amounts("byCategory", of: "category", expenses.byCategory)
        json.amounts("byMonth", of: "month", expenses.byMonth)
        json.member("count", expenses.total.count)
        json.member("totalCents", expenses.total.cents)
      }
    }
    json.member("from", days.lowerBound.text)
    json.member("income") { json in
      json.member("byDay", objects: income.byDay) { row, day in
        row.member("day", day.key)
        row.member("totalCents", day.cents)
      }
      json.amounts("byMethod", of: "method", income.byMethod)
      json.amounts("byMonth", of: "month", income.byMonth)
      json.amounts("byType", of: "type", income.byType)
      json.member("count", income.total.count)
      json.member("totalCents", income.total.cents)
    }
    json.member("lowStock", objects: lowStock) { row, product in
      row.member("id", product.id)
      row.optional("name", product.name)
      switch product.stock {
      case .whole(let number): row.member("stock", number)
      case .fraction(let number): row.member("stock", number)
      }
    }
    json.member("members") { json in
      json.counts("byStatus", of: "status", membersByStatus)
      json.member("endingSoon", objects: endingSoon) { row, ending in
        row.member("day", ending.day.text)
        row.member("id", ending.id)
        row.optional("name", ending.name)
      }
    }
    json.member("profitCents", profitCents)
    json.member("to", days.upperBound.text)
    json.member("undated") {
      if let count = undated.checkIns { $0.member("checkIns", count) }
      if expenses != nil { $0.member("expenses", undated.expenses) }
      $0.member("memberships", undated.memberships)
      $0.member("payments", undated.payments)
    }
    json.member("unreadable") {
      if expenses != nil { $0.member("expenses", unreadable.expenses) }
      $0.member("payments", unreadable.payments)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func optional(_ name: StaticString, _ text: String?) {
    key(name)
    if let text { string(text) } else { null() }
  }

  /// - Parameter kind: The name of the member for the heading.
  fileprivate mutating func amounts(
    _ name: StaticString,
    of kind: StaticString,
    _ amounts: [OwnerReport.Amount]
  ) {
    member(name, objects: amounts) { row, amount in
      row.member(kind, amount.key)
      row.member("count", amount.count)
      row.member("totalCents", amount.cents)
    }
  }

  fileprivate mutating func counts(
    _ name: StaticString,
    of kind: StaticString,
    _ counts: [OwnerReport.Count]
  ) {
    member(name, objects: counts) { row, count in
      row.member(kind, count.key)
      row.member("count", count.count)
    }
  }
}
