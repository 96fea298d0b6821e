/// A filter of a query.
indirect enum MiniFilter {
  /// All of them, or any of them.
  case all([MiniFilter])
  case any([MiniFilter])
  case field(MiniFieldPath, operation: ByteString, MiniValue)
  case unary(MiniFieldPath, operation: ByteString)

  private static let inequalities: Set<ByteString> = [
    "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "NOT_EQUAL", "NOT_IN",
  ]
  private static let operations = inequalities.union(["EQUAL", "IN", "ARRAY_CONTAINS", "ARRAY_CONTAINS_ANY"])

  init(_ json: JSON) throws {
    let members = try MiniDecoder.members(
      json,
      "where",
      allowed: ["compositeFilter", "fieldFilter", "unaryFilter"]
    )
    guard members.count == 1, let (kind, content) = members.first else {
      throw ServiceError.invalidArgument("a filter must have exactly one member")
    }
    switch kind {
    case "compositeFilter":
      let parts = try MiniDecoder.members(content, "compositeFilter", allowed: ["op", "filters"])
      let filters = try MiniDecoder.list(parts["filters"], "filters").map { try MiniFilter($0) }
      guard !filters.isEmpty else { throw ServiceError.invalidArgument("a composite filter of nothing") }
      switch try MiniDecoder.text(parts["op"], "op") {
      case "AND": self = .all(filters)
      case "OR": self = .any(filters)
      default: throw ServiceError.invalidArgument("compositeFilter.op")
      }
    case "fieldFilter": self = try Self.field(content)
    default:
      let parts = try MiniDecoder.members(content, "unaryFilter", allowed: ["op", "field"])
      let operation = try MiniDecoder.text(parts["op"], "op") ?? ""
      guard ["IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"].contains(operation) else {
        throw ServiceError.invalidArgument("unaryFilter.op \(operation)")
      }
      self = .unary(try Self.path(parts["field"]), operation: operation)
    }
  }

  private static func field(_ json: JSON) throws -> MiniFilter {
    let parts = try MiniDecoder.members(json, "fieldFilter", allowed: ["field", "op", "value"])
    let operation = try MiniDecoder.text(parts["op"], "op") ?? ""
    guard operations.contains(operation), let operand = parts["value"] else {
      throw ServiceError.invalidArgument("fieldFilter.op \(operation)")
    }
    let path = try path(parts["field"])
    let value = try MiniDecoder.value(operand, depth: 1)
    var operands = [value]
    if ["IN", "NOT_IN", "ARRAY_CONTAINS_ANY"].contains(operation) {
      guard case .array(let values) = value, (1...(operation == "NOT_IN" ? 10 : 30)).contains(values.count)
      else {
        throw ServiceError.invalidArgument("\(operation) needs an array of 1 to 30 values (NOT_IN: 10)")
      }
      operands = values
    }
    if path.isName {
      for operand in operands {
        guard case .reference = operand else {
          throw ServiceError.invalidArgument("__name__ is compared with referenceValues only")
        }
      }
    }
    return .field(path, operation: operation, value)
  }

  /// The path of a field reference.
  static func path(_ json: JSON?) throws -> MiniFieldPath {
    guard let json,
      let text = try MiniDecoder.text(
        MiniDecoder.members(json, "field", allowed: ["fieldPath"])["fieldPath"],
        "fieldPath"
      )
    else { throw ServiceError.invalidArgument("a field reference without fieldPath") }
    return try MiniFieldPath(text, allowsReserved: text == "__name__")
  }

  /// Every field that the filter looks at.
  var paths: [MiniFieldPath] {
    switch self {
    case .all(let filters), .any(let filters): filters.flatMap(\.paths)
    case .field(let path, _, _), .unary(let path, _): [path]
    }
  }

  /// The fields that the response is therefore ordered by.
  var inequalityPaths: [MiniFieldPath] {
    switch self {
    case .all(let filters), .any(let filters): filters.flatMap(\.inequalityPaths)
    case .field(let path, let operation, _): Self.inequalities.contains(operation) ? [path] : []
    case .unary(let path, let operation): operation.bytes.starts(with: "IS_NOT".utf8) ? [path] : []
    }
  }

  func matches(_ candidate: MiniCandidate) -> Bool {
    switch self {
    case .all(let filters): return filters.allSatisfy { $0.matches(candidate) }
    case .any(let filters): return filters.contains { $0.matches(candidate) }
    case .unary(let path, let operation):
      guard let value = candidate.value(path) else { return false }
      switch operation {
      case "IS_NULL": return value == .null
      case "IS_NOT_NULL": return value != .null
      case "IS_NAN": return value == .number(.nan)
      default: return value != .number(.nan)
      }
    case .field(let path, let operation, let operand):
      guard let value = candidate.value(path) else { return false }
      return Self.matches(value, operation, operand)
    }
  }

  private static func matches(_ value: MiniValue, _ operation: ByteString, _ operand: MiniValue) -> Bool {
    func isIn(_ value: MiniValue, _ list: MiniValue) -> Bool {
      guard case .array(let values) = list else { return false }
      return values.contains { $0.compare(value) == 0 }
    }
    let order = value.compare(operand)
    let isSame = value.isSameType(as: operand)
    switch operation {
    case "EQUAL": return order == 0
    case "NOT_EQUAL": return order != 0 && value != .null
    case "LESS_THAN": return isSame && order < 0
    case "LESS_THAN_OR_EQUAL": return isSame && order <= 0
    case "GREATER_THAN": return isSame && order > 0
    case "GREATER_THAN_OR_EQUAL": return isSame && order >= 0
    case "IN": return isIn(value, operand)
    case "NOT_IN": return !isIn(value, operand) && value != .null
    case "ARRAY_CONTAINS": return isIn(operand, value)
    default:
      guard case .array(let values) = value else { return false }
      return values.contains { isIn($0, operand) }
    }
  }
}
