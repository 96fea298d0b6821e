/// What is learned about a field's values in constant memory.
package struct FieldProfile: Sendable {
  /// The maximum number of distinct texts of a field with closed values.
  package static let mostClosedValues = 10
  /// The minimum number of texts from which closed values and formats are inferred.
  package static let fewestValues = 20
  /// The maximum length of a closed value, in bytes.
  private static let longestClosedValue = 64
  /// The number of values that are kept, to find out what they refer to.
  package static let sampleSize = 8

  /// The number of documents or maps that have the field, including nulls.
  package private(set) var present = 0
  package private(set) var nulls = 0
  /// The number of texts that are empty or only white space.
  package private(set) var blanks = 0
  /// The number of values by type, in the order of ``FieldType``.
  private var counts = [Int](repeating: 0, count: FieldType.allCases.count)
  /// The distinct texts with their counts; nil once there are too many, or one is too long.
  package private(set) var texts: [(text: String, count: Int)]? = []
  /// The formats that all texts have, as bits in the order of ``FieldFormat/named``.
  private var formats: UInt32 = (1 << UInt32(FieldFormat.named.count)) - 1
  package private(set) var minimum: Value?
  package private(set) var maximum: Value?
  /// The length of the longest text in code points, or of the longest array.
  package private(set) var maximumLength = 0
  /// A sample of the texts, spread over all documents.
  package private(set) var sample: [String] = []
  private var candidates = 0

  /// Adds a value that is not null.
  mutating func add(_ value: Value) {
    present += 1
    guard let type = FieldType(of: value) else {
      nulls += 1
      return
    }
    counts[type.index] += 1
    switch value {
    case .string(let text): add(text)
    case .integer, .double, .timestamp: addToRange(value)
    case .array(let elements): maximumLength = max(maximumLength, elements.count)
    case .reference(let name): addToSample(name)
    default: break
    }
  }

  private mutating func add(_ text: String) {
    if PlainText.isBlank(text) {
      blanks += 1
      return
    }
    maximumLength = max(maximumLength, text.unicodeScalars.count)
    if var known = texts.take() {
      if let index = known.firstIndex(where: { $0.text.isIdentical(to: text) }) {
        known[index].count += 1
        texts = known
      } else if known.count < Self.mostClosedValues, text.utf8.count <= Self.longestClosedValue {
        known.append((text, 1))
        texts = known
      }
    }
    if formats != 0 {
      for (index, named) in FieldFormat.named.enumerated()
      where formats & (1 << UInt32(index)) != 0 && !named.value.matches(text) {
        formats &= ~(1 << UInt32(index))
      }
    }
    addToSample(text)
  }

  /// Keeps the first values and then replaces them at growing intervals, so that the sample covers all documents.
  private mutating func addToSample(_ text: String) {
    candidates += 1
    if sample.count < Self.sampleSize {
      if text.utf8.count <= 1500 { sample.append(text) }
    } else if candidates.nonzeroBitCount == 1, text.utf8.count <= 1500 {
      sample[candidates.trailingZeroBitCount % Self.sampleSize] = text
    }
  }

  private mutating func addToRange(_ value: Value) {
    func isComparable(_ bound: Value) -> Bool { bound.isNumber == value.isNumber }
    if minimum.map({ isComparable($0) && ValueOrder.compare(value, $0) < 0 }) ?? true { minimum = value }
    if maximum.map({ isComparable($0) && ValueOrder.compare(value, $0) > 0 }) ?? true { maximum = value }
  }

  // MARK: Results

  /// The types with the counts of their values, the most frequent first.
  package var types: [(type: FieldType, count: Int)] {
    FieldType.allCases.map { ($0, counts[$0.index]) }.filter { $0.1 > 0 }
      .sorted { $0.1 == $1.1 ? $0.0.rawValue < $1.0.rawValue : $0.1 > $1.1 }
  }

  /// The number of values that are neither null nor blank.
  package var filled: Int { present - nulls - blanks }

  /// The number of texts that are not blank.
  private var textCount: Int { counts[FieldType.string.index] - blanks }

  /// The closed values, sorted; nil if the texts are not closed.
  package var closedValues: [(text: String, count: Int)]? {
    guard textCount >= Self.fewestValues, types.count == 1, types[0].type == .string, let texts else {
      return nil
    }
    return texts.sorted { $0.text.compareUTF8($1.text) < 0 }
  }

  /// The format that all texts have; nil if there is none, or if there are too few texts.
  package var format: FieldFormat? {
    guard textCount >= Self.fewestValues, types.count == 1, types[0].type == .string else { return nil }
    // Digits come before phone numbers, because they look like phone numbers, too.
    return [.uuid, .email, .time, .date, .url, .digits, .phone].first { format in
      hasFormat(format) && !(format == .phone && sample.contains(where: Self.isNumbering))
    }
  }

  /// Whether a text is a serial number rather than a phone number: fewer than 7 digits, or after a year, as in 2025-0001.
  private static func isNumbering(_ text: String) -> Bool {
    let digits = text.utf8.count(where: \.isASCIIDigit)
    let parts = text.utf8.split { !$0.isASCIIDigit }
    let year = parts.first.flatMap { Int(Substring($0)) }
    return digits < 7 || parts.count == 2 && year.map { (1900..<2100).contains($0) } ?? false
  }

  package func hasFormat(_ format: FieldFormat) -> Bool {
    guard textCount > 0, let index = FieldFormat.named.firstIndex(where: { $0.value == format }) else {
      return false
    }
    return formats & (1 << UInt32(index)) != 0
  }
}

extension FieldType {
  /// Its position among all cases.
  fileprivate var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
