/// Masks digits by a permutation of all numbers of the same form: distinct numbers stay distinct, and none stays the same.
///
/// The number goes through a secret permutation (a Feistel network by Black and Rogaway), one step ahead, and back.
struct DigitPermutation {
  /// Longer numbers, which no integer has, are hashed, which keeps them as distinct.
  private static let longest = 19
  private static let purpose = "digits"
  private static let rounds: [UInt8] = [0, 1, 2, 3, 4, 5]

  private let key: MaskKey
  /// The message that is authenticated in a round: the purpose, the round, the range of each digit, and one side.
  private var message: [UInt8]
  /// The range of each digit: its first value, and the number of values.
  private let forms: [(first: UInt8, count: UInt64)]
  private let size: UInt64
  /// The network's two sides.
  private let sides: (left: UInt64, right: UInt64)

  static func masked(_ digits: [UInt8], under key: MaskKey) -> [UInt8] {
    if digits.isEmpty { return digits }
    if digits.count <= longest {
      var permutation = DigitPermutation(of: digits, key)
      return permutation.masked(digits)
    }
    let bytes = key.bytes(Self.purpose, digits)
    return digits.indices.map { UInt8(ascii: "0") + bytes[$0 % bytes.count] % 10 }
  }

  private init(of digits: [UInt8], _ key: MaskKey) {
    self.key = key
    forms = digits.indices.map { index in
      // The first digits of an area code and an exchange stay between 2 and 9, or below that, as in the original.
      guard digits.count == 10, index == 0 || index == 3 else { return (UInt8(ascii: "0"), 10) }
      return digits[index] < UInt8(ascii: "2") ? (UInt8(ascii: "0"), 2) : (UInt8(ascii: "2"), 8)
    }
    message = []
    message.reserveCapacity(Self.purpose.utf8.count + 10 + forms.count)
    message += Array(Self.purpose.utf8) + [0, 0]
    for form in forms { message.append(UInt8(truncatingIfNeeded: form.count)) }
    for _ in 0..<8 { message.append(0) }
    size = forms.reduce(1) { $0 * $1.count }
    let left = UInt64(Double(size).squareRoot().rounded(.up))
    sides = (left, (size + left - 1) / left)
  }

  private mutating func masked(_ digits: [UInt8]) -> [UInt8] {
    let number = zip(digits, forms).reduce(0) { $0 * $1.1.count + UInt64($1.0 - $1.1.first) }
    let ahead = (permuted(number, Self.rounds) + 1) % size
    var rest = permuted(ahead, Self.rounds.reversed(), isBack: true)
    var masked: [UInt8] = []
    for form in forms.reversed() {
      masked.append(form.first + UInt8(truncatingIfNeeded: rest % form.count))
      rest /= form.count
    }
    return masked.reversed()
  }

  /// Repeats the permutation while the result is not a number of the form, so that it permutes exactly these.
  private mutating func permuted(_ number: UInt64, _ rounds: [UInt8], isBack: Bool = false) -> UInt64 {
    var number = number
    repeat {
      var (left, right) = (number % sides.left, number / sides.left)
      for round in rounds {
        if round % 2 == 0 {
          left = Self.moved(left, by: code(round, right), in: sides.left, isBack)
        } else {
          right = Self.moved(right, by: code(round, left), in: sides.right, isBack)
        }
      }
      number = right * sides.left + left
    } while number >= size
    return number
  }

  private static func moved(_ side: UInt64, by code: UInt64, in size: UInt64, _ isBack: Bool) -> UInt64 {
    let step = code % size
    return (side + (isBack ? size - step : step)) % size
  }

  private mutating func code(_ round: UInt8, _ side: UInt64) -> UInt64 {
    message[Self.purpose.utf8.count + 1] = round
    for byte in 0..<8 { message[message.count - 8 + byte] = UInt8(truncatingIfNeeded: side >> (8 * byte)) }
    return key.number(of: message)
  }
}
