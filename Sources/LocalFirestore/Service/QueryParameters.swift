/// The query parameters of a request; unknown ones are refused.
struct QueryParameters {
  /// The parameters that all Google APIs accept.
  private static let system: Set<String> = [
    "$alt", "alt", "$.xgafv", "callback", "fields", "key", "prettyPrint", "$prettyPrint", "quotaUser",
    "accessToken", "oauthToken", "uploadType", "uploadProtocol", "requestOptions.requestTags", "$httpMethod",
  ]

  private let items: [(name: String, value: String)]

  /// - Throws: ``FirestoreError`` `.invalidArgument` for a parameter that is neither in `known` nor common.
  init(_ items: [(name: String, value: String)], known: Set<String>) throws(FirestoreError) {
    for item in items where !known.contains(item.name) && !Self.system.contains(item.name) {
      throw .invalid(
        "Invalid JSON payload received. Unknown name \"\(item.name)\": Cannot bind query parameter."
      )
    }
    self.items = items
  }

  /// The last value of a parameter; nil if it is absent.
  func text(_ name: String) -> String? {
    items.last { $0.name == name }?.value
  }

  func int32(_ name: String) throws(FirestoreError) -> Int32 {
    guard let text = text(name) else { return 0 }
    guard let number = Int32(text) else {
      throw .invalid("Invalid value at '\(name)': it is not an integer.")
    }
    return number
  }

  func boolean(_ name: String) throws(FirestoreError) -> Bool? {
    switch text(name) {
    case nil: return nil
    case "true", "True", "1": return true
    case "false", "False", "0": return false
    default: throw .invalid("Invalid value at '\(name)': it is not true or false.")
    }
  }

  func timestamp(_ name: String) throws(FirestoreError) -> Timestamp? {
    guard let text = text(name) else { return nil }
    guard let time = Timestamp(text) else {
      throw .invalid("Invalid value at '\(name)': it is not an RFC 3339 time.")
    }
    return time
  }

  /// A field mask; nil if the parameter is absent.
  func mask(_ name: String) throws(FirestoreError) -> [FieldPath]? {
    var paths: [FieldPath] = []
    for item in items where item.name == name {
      do throws(FieldPathError) {
        paths.append(try FieldPath(parsing: item.value))
      } catch {
        throw .invalid("Invalid value at '\(name)': \(error)")
      }
    }
    return paths.isEmpty ? nil : paths
  }

  /// The precondition in `currentDocument`.
  func precondition() throws(FirestoreError) -> Precondition? {
    let exists = try boolean("currentDocument.exists")
    let updateTime = try timestamp("currentDocument.updateTime")
    switch (exists, updateTime) {
    case (nil, nil): return nil
    case (let exists?, nil): return .exists(exists)
    case (nil, let time?): return .updateTime(time)
    default: throw .invalid("A precondition has one type, not two.")
    }
  }

  /// The read consistency in `readTime` or `transaction`.
  func consistency() throws(FirestoreError) -> ReadConsistency {
    var consistency = ReadConsistency.strong
    if let time = try timestamp("readTime") {
      guard time.nanoseconds % 1000 == 0 else { throw .invalid("readTime must be in whole microseconds.") }
      consistency = .time(time.microseconds)
    }
    if let text = text("transaction"), !text.isEmpty {
      guard let bytes = Base64.decode(text) else { throw .invalid("A transaction must be a Base64 string.") }
      guard consistency == .strong else { throw .invalid("A read has one of readTime and transaction.") }
      consistency = .transaction(StoreTransactionID(bytes: bytes))
    }
    return consistency
  }

  /// The order of a list: `priority desc, __name__`.
  func order() throws(FirestoreError) -> [StructuredQuery.Order] {
    guard let text = text("orderBy"), !text.isEmpty else { return [] }
    var orders: [StructuredQuery.Order] = []
    for item in FieldPath.parts(of: text, between: UInt8(ascii: ",")).map(Self.trimmed) {
      let words = item.utf8.split(separator: UInt8(ascii: " "))
      var direction = StructuredQuery.Direction.ascending
      var field = item
      if words.count > 1, let last = words.last.map({ String(Substring($0)).lowercased() }),
        last == "asc" || last == "desc"
      {
        direction = last == "desc" ? .descending : .ascending
        field = String(Substring(item.utf8[..<words[words.count - 1].startIndex]))
      }
      do throws(FieldPathError) {
        orders.append(.init(try FieldPath(parsing: Self.trimmed(field)), direction))
      } catch {
        throw .invalid("Invalid value at 'orderBy': \(error)")
      }
    }
    return orders
  }

  private static func trimmed(_ text: String) -> String { PlainText.trimmed(text) { $0 == " " } }
}
