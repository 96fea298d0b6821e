import Testing

@testable import Transfer

@Suite("Phones that get other digits") struct MaskedPhonesTests {
  private let text = MaskedText(key: MaskKey(String(repeating: "k", count: 40)))

  @Test("Phones that differ stay so, none stays itself, and their form holds.")
  func phones() {
    // All of the form 55x 2xx 0xx1 and of few digits: a hash of so many would make some the same.
    for numbers in [(0..<10_000).map { "\(55_2000_0000 + $0 * 7)" }, (0..<1000).map { "\(1000 + $0)" }] {
      let masked = numbers.map { text.digits($0) }
      #expect(Set(masked).count == numbers.count)
      #expect(!zip(masked, numbers).contains { $0 == $1 })
    }
    for number in 0..<300 {
      let phone = "\(2_000_000_000 + number * 23_456_789)"
      let masked = text.digits(phone)
      #expect(masked.count == 10)
      let (kept, before) = (Array(masked), Array(phone))
      for index in [0, 3] { #expect((kept[index] < "2") == (before[index] < "2")) }
      #expect(text.digits("+52 \(phone)") == "+52 \(masked)")
    }
    #expect(text.digits("") == "" && text.digits("7") != "7")
    let long = String(repeating: "12", count: 30)
    #expect(text.digits(long).count == 60 && text.digits(long) != long)
    let other = MaskedText(key: MaskKey(String(repeating: "j", count: 40)))
    #expect(other.digits("5550831234") != text.digits("5550831234"))
  }

  @Test(
    "A phone keeps its country, of whatever length, and is the same with and without it.",
    arguments: [
      ("+34", "612345678"), ("+49", "30123456"), ("+1", "5552023456"), ("0034", "612345678"),
      ("+593", "991234567"), ("+7", "9161234567"), ("+44", "2079460018"),
    ]
  )
  func countries(_ country: String, _ national: String) {
    let masked = text.digits(national)
    #expect(masked != national)
    #expect(text.digits("\(country) \(national)") == "\(country) \(masked)")
    #expect(text.digits("+52 1 5552023456") == "+52 1 \(text.digits("5552023456"))")
  }

  @Test(
    "A phone with 00 and its country is the one with + and the country, of up to thirteen digits.",
    arguments: [
      ("52", "5550123456"), ("44", "7911123456"), ("34", "600123456"), ("49", "15123456789"),
      ("52", "8112345678"),
      ("290", "2345"),
    ]
  )
  func zeros(_ country: String, _ national: String) {
    let masked = text.digits(national)
    for before in ["00\(country)", "00\(country) ", "+\(country) ", " (+\(country)) "] {
      #expect(text.digits(before + national) == before + masked)
    }
  }

  @Test("A number that is no phone of a country is masked from its first digit, and never meets one that is.")
  func padded() {
    for number in ["00999", "001234", "0000123456", "002180700123456789", "+593"] {
      let masked = text.digits(number)
      #expect(masked != number && text.digits(masked) != masked)
      #expect(PhoneCountry.digitCount(of: number.utf8) == 0, "\(number)")
    }
    // All of nine digits, of which some begin as a country does.
    let others = (0..<10_000).map { text.digits("\(100_000_000 + $0 * 89_989)") }
    let countries = (0..<1000).map { text.digits("00\(1_000_000 + $0 * 2997)") }
    #expect(Set(others + countries).count == 11_000)
    #expect(others.allSatisfy { PhoneCountry.digitCount(of: $0.utf8) == 0 })
  }
}
