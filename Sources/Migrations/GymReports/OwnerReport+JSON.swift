package import FirestoreModels
import Schema

extension OwnerReport {
  /// Writes the numbers as members of a JSON object; money in cents.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("asOf", asOf.text)
    json.key("checkIns")
    json.object { json in
      json.counts("byDay", checkIns.byDay)
      json.key("byHour")
      json.array { list in for count in checkIns.byHour { list.integer(count) } }
      json.rows("topMembers", checkIns.topMembers) { row, member in
        row.string(member.id)
        row.optional(member.name)
        row.integer(member.count)
      }
      json.member("total", checkIns.total)
    }
    if let expenses {
      json.key("expenses")
      json.object { json in
        json.amounts("byCategory", expenses.byCategory)
        json.amounts("byMonth", expenses.byMonth)
        json.member("count", expenses.total.count)
        json.member("totalCents", expenses.total.cents)
      }
    }
    json.member("from", days.lowerBound.text)
    json.key("income")
    json.object { json in
      json.rows("byDay", income.byDay) { row, day in
        row.string(day.key)
        row.integer(day.cents)
      }
      json.amounts("byMethod", income.byMethod)
      json.amounts("byMonth", income.byMonth)
      json.amounts("byType", income.byType)
      json.member("count", income.total.count)
      json.member("totalCents", income.total.cents)
    }
    json.rows("lowStock", lowStock) { row, product in
      row.string(product.id)
      row.optional(product.name)
      row.integer(product.stock)
    }
    json.key("members")
    json.object { json in
      json.counts("byStatus", membersByStatus)
      json.rows("endingSoon", endingSoon) { row, ending in
        row.string(ending.id)
        row.optional(ending.name)
        row.string(ending.day.text)
      }
    }
    json.member("profitCents", profitCents)
    json.member("to", days.upperBound.text)
    for (name, counts) in [("undated", undated), ("unreadable", unreadable)] as [(StaticString, LeftOut)] {
      json.key(name)
      json.object {
        if expenses != nil { $0.member("expenses", counts.expenses) }
        $0.member("payments", counts.payments)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func optional(_ text: String?) {
    if let text { string(text) } else { null() }
  }

  /// Writes a member with an array of arrays, one for each element.
  fileprivate mutating func rows<Element>(
    _ name: StaticString,
    _ elements: [Element],
    _ row: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    array { list in
      for element in elements { list.array { row(&$0, element) } }
    }
  }

  fileprivate mutating func amounts(_ name: StaticString, _ amounts: [OwnerReport.Amount]) {
    rows(name, amounts) { row, amount in
      row.string(amount.key)
      row.integer(amount.cents)
      row.integer(amount.count)
    }
  }

  fileprivate mutating func counts(_ name: StaticString, _ counts: [OwnerReport.Count]) {
    rows(name, counts) { row, count in
      row.string(count.key)
      row.integer(count.count)
    }
  }
}
