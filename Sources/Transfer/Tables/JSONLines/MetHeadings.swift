import FirestoreModels
import Schema

/// Collects the options whose headings occurred in plain objects, by index, and what else is worth a notice.
package final class MetHeadings {
  package var types: Set<Int> = []
  package var renames: Set<Int> = []
  /// Whether every object could be read; only then is a heading that was not met in none of them.
  package var isComplete = true
  /// The number of objects that were MongoDB values, and of those that only look so, by their members.
  private var (extended, odd): ([String: Int], [String: Int]) = ([:], [:])
  /// The number of maps, by their members, in documents with `__name__` that would be values of another program in other
  /// documents.
  private var unread: [String: Int] = [:]
  /// The maximum number of forms that are distinguished.
  private static let maximumForms = 20
  /// The dates that were texts, and their fields.
  private var dates = OpenDates()
  private var (dateFields, places): ([FieldPath], [FieldPath: Int]) = ([], [:])

  package init() {}

  func note(_ form: String, isValue: Bool) {
    if isValue {
      extended[form, default: 0] += 1
    } else if odd[form] != nil || odd.count < Self.maximumForms {
      odd[form, default: 0] += 1
    }
  }

  func note(unread form: String) { unread[form, default: 0] += 1 }

  /// Notes a text that was read as a date, with the day first if no order was given.
  func note(date: String, of path: [String], _ order: DateOrder?) {
    // The elements of an array belong to its field.
    guard let field = FieldPath(segments: path.filter { !$0.isIdentical(to: "[]") }) else { return }
    let place = places[field] ?? dateFields.count
    if place == dateFields.count {
      dateFields.append(field)
      places[field] = place
    }
    date.withBytes { dates.take($0, place, order) }
  }

  /// Returns the notices about dates, as sentences.
  ///
  /// - Parameter zone: The zone of dates without one; nil if the user named it.
  package func dateNotices(in zone: LocalTimeZone?) -> [String] {
    dates.notices("text", in: zone) { dateFields[$0].description }
  }

  /// The notices about these objects, as sentences.
  package var notices: [String] {
    let taken =
      extended.isEmpty ? [] : ["Read as the values that MongoDB means by them: \(Self.list(extended))."]
    return taken
      + (odd.isEmpty ? [] : ["Maps that look like values of MongoDB stay maps: \(Self.list(odd))."])
  }

  /// The warnings about values that probably mean something else, as sentences.
  package var warnings: [String] {
    if unread.isEmpty { return [] }
    return [
      "Maps that look like values of other programs stay maps, as __name__ is what an export writes: \(Self.list(unread)). --id-column __name__ reads them as these values."
    ]
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }
}
