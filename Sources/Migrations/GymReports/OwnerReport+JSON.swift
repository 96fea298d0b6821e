package import FirestoreModels
import Schema

extension OwnerReport {
  /// Writes the numbers as members of a JSON object; money in cents.
  package func writeMembers(to json: inout JSONWriter) {
    json.member("asOf", asOf.text)
    json.key("checkIns")
    json.object { json in
      json.key("byDay")
      Self.write(checkIns.byDay, to: &json)
      json.key("byHour")
      json.array { list in for count in checkIns.byHour { list.integer(count) } }
      json.key("topMembers")
      json.array { list in
        for member in checkIns.topMembers {
          list.array { row in
            row.string(member.id)
            row.optional(member.name)
            row.integer(member.count)
          }
        }
      }
      json.member("total", checkIns.total)
    }
    if let expenses {
      json.key("expenses")
      json.object { json in
        json.key("byCategory")
        Self.write(expenses.byCategory, to: &json)
        json.key("byMonth")
        Self.write(expenses.byMonth, to: &json)
        json.member("count", expenses.total.count)
        json.member("totalCents", expenses.total.cents)
      }
    }
    json.member("from", days.lowerBound.text)
    json.key("income")
    json.object { json in
      json.key("byDay")
      json.array { list in
        for day in income.byDay {
          list.array { row in
            row.string(day.key)
            row.integer(day.cents)
          }
        }
      }
      json.key("byMethod")
      Self.write(income.byMethod, to: &json)
      json.key("byMonth")
      Self.write(income.byMonth, to: &json)
      json.key("byType")
      Self.write(income.byType, to: &json)
      json.member("count", income.total.count)
      json.member("totalCents", income.total.cents)
    }
    json.key("lowStock")
    json.array { list in
      for product in lowStock {
        list.array { row in
          row.string(product.id)
          row.optional(product.name)
          row.integer(product.stock)
        }
      }
    }
    json.key("members")
    json.object { json in
      json.key("byStatus")
      Self.write(membersByStatus, to: &json)
      json.key("endingSoon")
      json.array { list in
        for ending in endingSoon {
          list.array { row in
            row.string(ending.id)
            row.optional(ending.name)
            row.string(ending.day.text)
          }
        }
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

  private static func write(_ amounts: [Amount], to json: inout JSONWriter) {
    json.array { list in
      for amount in amounts {
        list.array { row in
          row.string(amount.key)
          row.integer(amount.cents)
          row.integer(amount.count)
        }
      }
    }
  }

  private static func write(_ counts: [Count], to json: inout JSONWriter) {
    json.array { list in
      for count in counts {
        list.array { row in
          row.string(count.key)
          row.integer(count.count)
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func optional(_ text: String?) {
    if let text { string(text) } else { null() }
  }
}
