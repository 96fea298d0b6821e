import Schema
import Tables

/// Counts the damage that tables and plain JSON probably do to stored values.
///
/// Spreadsheets that save CSV strip the leading zeros or the `+` of digit strings such as phone numbers, trailing decimal
/// zeros, digits of numbers, and seconds of times. Values that replace values of another type are counted, too.
struct DoubtfulChanges: Sendable {
  private enum Kind: Hashable {
    case cut
    /// A text that is a number is replaced by another spelling of it, as `801.10` by `801.1`.
    case respelled
    /// A number loses digits, or a text that is a number.
    case rounded(isText: Bool)
    /// A time loses its seconds, fractions of a second or time of day.
    case shortened(String)
    /// A value replaces one of another type.
    case retyped(from: String, to: String)
  }

  private struct Key: Hashable {
    var collection: CollectionPath
    var field: FieldPath
    var kind: Kind
  }

  private struct Found {
    var count = 0
    /// The first by name, because changes are recorded in any order.
    var first: DocumentPath
  }

  /// The maximum number of distinct findings.
  private static let maximumKeys = 200

  private let schema: DatabaseSchema
  private let found = Locked<[Key: Found]>([:])

  init(_ schema: DatabaseSchema) { self.schema = schema }

  /// Counts the doubtful effects of a change.
  ///
  /// - Parameter zone: The time zone in which days begin.
  func record(_ change: Change, in zone: LocalTimeZone) {
    for (difference, before, after) in Self.replaced(by: change) {
      guard let kind = self.kind(before, after, at: difference.path, of: change, in: zone) else { continue }
      let key = Key(collection: change.path.collection.pattern, field: difference.path, kind: kind)
      found.withLock { found in
        guard found[key] != nil || found.count < Self.maximumKeys else { return }
        var known = found[key] ?? Found(first: change.path)
        known.count += 1
        known.first = min(known.first, change.path)
        found[key] = known
      }
    }
  }

  /// Returns a sentence about the first map or array that a change replaces by another kind of value, or the reverse; nil
  /// if none.
  func lostStructure(by change: Change) -> String? {
    for (difference, before, after) in Self.replaced(by: change) {
      guard before.isStructure || after.isStructure, isRetyped(before, after, at: difference.path, of: change)
      else { continue }
      let (old, new) = (before.typeName, after.typeName)
      return "\(difference.path) is of the type \(old), and a value of the type \(new) would take its place"
    }
    return nil
  }

  /// The pairs of values in which a change replaces one by the other.
  private static func replaced(by change: Change) -> [(FieldDifference, Value, Value)] {
    if change.before == nil || change.isDeletion { return [] }
    return change.valueDifferences.compactMap { difference in
      guard let before = difference.before, let after = difference.after else { return nil }
      return (difference, before, after)
    }
  }

  // MARK: Kinds

  private func kind(
    _ before: Value,
    _ after: Value,
    at field: FieldPath,
    of change: Change,
    in zone: LocalTimeZone
  ) -> Kind? {
    switch (before, after) {
    case (.string(let old), .string(let new)) where Self.isCut(old, to: new): return .cut
    case (.string(let old), .string(let new)) where Self.isRespelled(old, as: new): return .respelled
    case (.string(let old), .integer(let new)) where Self.isCut(old, to: String(new)): return .cut
    case (.timestamp(let old), .timestamp(let new)):
      return Self.loss(of: old, to: new, in: zone).map { .shortened($0) }
    default:
      // Whatever the types: the schema may ask for another one, but not for fewer digits.
      if let old = RoundedNumber(before), let new = RoundedNumber(after), new.isRounded(from: old) {
        return .rounded(isText: before.typeName == "string")
      }
      guard isRetyped(before, after, at: field, of: change) else { return nil }
      return .retyped(from: before.typeName, to: after.typeName)
    }
  }

  /// Whether a value replaces one of another type without the schema asking for it.
  private func isRetyped(_ before: Value, _ after: Value, at field: FieldPath, of change: Change) -> Bool {
    if before.typeName == after.typeName || before.isNull || after.isNull { return false }
    // Replacing a text by an empty one loses nothing, but replacing a map by it does.
    if before == .string("") || after == .string("") && !before.isStructure { return false }
    guard let declared = schema.collection(change.path.collection)?.field(field), !declared.types.isEmpty,
      declared.accepts(after)
    else { return true }
    // Every type that accepts doubles accepts integers, too.
    if case (.integer, .double) = (before, after) { return false }
    return declared.accepts(before)
  }

  private static func isCut(_ old: String, to new: String) -> Bool {
    let rest = old.utf8.drop { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "+") }
    return !rest.isEmpty && rest.count < old.utf8.count && rest.allSatisfy(\.isASCIIDigit)
      && rest.elementsEqual(new.utf8)
  }

  /// Whether two texts spell the same number.
  private static func isRespelled(_ old: String, as new: String) -> Bool {
    guard !old.isIdentical(to: new), let before = RoundedNumber(old) else { return false }
    return before == RoundedNumber(new)
  }

  /// The part that a time lost compared with the old one; nil if they differ otherwise.
  private static func loss(of old: Timestamp, to new: Timestamp, in zone: LocalTimeZone) -> String? {
    let seconds = old.seconds - new.seconds
    if (1..<60).contains(seconds), new.nanoseconds == 0, new.seconds.isMultiple(of: 60) { return "seconds" }
    if (-1...1).contains(seconds), isRounded(old, to: new) { return "fractions of a second" }
    let day = zone.day(of: old).date
    return seconds > 0 && new == zone.startOfDay(year: day.year, month: day.month, day: day.day)
      ? "time of day" : nil
  }

  /// Whether a time is the old one with fewer decimals of its seconds: spreadsheets keep up to three.
  private static func isRounded(_ old: Timestamp, to new: Timestamp) -> Bool {
    let distance =
      (old.seconds - new.seconds) * 1_000_000_000 + Int64(old.nanoseconds) - Int64(new.nanoseconds)
    let units: [Int32] = [1_000_000_000, 100_000_000, 10_000_000, 1_000_000]
    return units.contains { unit in
      new.nanoseconds.isMultiple(of: unit) && !old.nanoseconds.isMultiple(of: unit)
        && distance.magnitude < UInt64(unit)
    }
  }

  // MARK: Lines

  /// A line for each finding, without values because those may be personal data.
  func warnings(isDryRun: Bool) -> [String] {
    found.withLock { $0 }.map { key, found in
      let (what, advice) = Self.description(of: key, found.count, isDryRun)
      return "\(key.collection): \(key.field): \(what), the first by name in \(found.first). \(advice)"
    }.sorted { $0.compareUTF8($1) < 0 }
  }

  private static func description(
    of key: Key,
    _ count: Int,
    _ isDryRun: Bool
  ) -> (what: String, advice: String) {
    func verb(_ one: String, _ many: String) -> String {
      isDryRun ? "would \(many)" : count == 1 ? one : many
    }
    let dropped = "A spreadsheet drops them; a workbook of 'export --format xlsx' keeps them."
    switch key.kind {
    case .cut:
      let texts = NumberText.counted(count, "text")
      return ("\(texts) of digits \(verb("loses", "lose")) the zeros or the + before them", dropped)
    case .respelled:
      let texts = NumberText.counted(count, "text")
      return (
        "\(texts) of digits \(verb("becomes", "become")) another spelling of the same number, as 1.5 is of 1.50",
        "A spreadsheet spells numbers in its own way; a workbook of 'export --format xlsx' keeps them."
      )
    case .rounded(let isText):
      let numbers = NumberText.counted(count, isText ? "text" : "number")
      return ("\(numbers) \(verb("loses", "lose")) digits", dropped)
    case .shortened(let part):
      let times = NumberText.counted(count, "timestamp")
      return ("\(times) \(verb("loses", "lose")) \(count == 1 ? "its" : "their") \(part)", dropped)
    case .retyped(let old, let new):
      let values = "\(counted(count, new)) \(verb("takes", "take")) the place of values of the type \(old)"
      return (values, advice(from: old, to: new, in: key.field))
    }
  }

  private static func counted(_ count: Int, _ type: String) -> String {
    switch type {
    case "string": NumberText.counted(count, "text")
    case "bytes": NumberText.counted(count, "value of bytes", plural: "values of bytes")
    default: NumberText.counted(count, type)
    }
  }

  private static func advice(from old: String, to new: String, in field: FieldPath) -> String {
    let structures = ["map", "vector", "array"]
    if structures.contains(old) || structures.contains(new) {
      return "Name a member of a map by its path, as address.city, and write an array as JSON, as [\"a\"]."
    }
    let type = old.filter { $0 != " " }
    // The heading of a field inside a map may differ from its name, and the option goes by the heading.
    let name = field.segments.count == 1 ? field.segments[0] : "HEADING"
    return "'--types \(name)=\(type)' reads such values, or refuses them."
  }
}

extension Value {
  /// Whether it is a map or an array.
  fileprivate var isStructure: Bool {
    switch self {
    case .map, .array: true
    default: false
    }
  }
}
