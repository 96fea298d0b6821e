import GymModels
import Testing

@Suite struct PhoneNumberTests {
  @Test(
    arguments: [
      "7291234567", " 729 123\u{A0}4567\n", "(729) 123-4567", "729.123.4567", "52 729 123 4567",
      "+527291234567",
      "+52 1 729 123 4567", "5217291234567", "01 729 123 4567", "044 729 123 4567", "045-729-123-4567",
    ]
  )
  func mexicanInAllItsForms(text: String) {
    #expect(PhoneNumber(text)?.digits == "7291234567")
  }

  @Test(
    arguments: [
      ("+1 (212) 555-0100", "+12125550100"), ("+34 612 34 56 78", "+34612345678"),
      ("0291234567", "0291234567"),
      // Ten digits that begin like a prefix are ten digits.
      ("5212345678", "5212345678"), ("0442345678", "0442345678"),
    ]
  )
  func others(text: String, digits: String) {
    #expect(PhoneNumber(text)?.digits == digits)
  }

  @Test(
    arguments: [
      "", " ", "123", "729123456", "72912345678", "729 123 4567 ext 2", "7291234567 / 7297654321",
      "729123456a",
      "7+291234567", "++527291234567", "5555555555", "+52 555 555 5555", "+52 729 123 456", "+1234567",
      "+1234567890123456", "007291234567", "٧٢٩١٢٣٤٥٦٧",
    ]
  )
  func aDoubtIsNoNumber(text: String) {
    #expect(PhoneNumber(text) == nil)
  }

  @Test func saysSame() {
    #expect(PhoneNumber.saySame("+52 1 (729) 123-4567", "7291234567"))
    #expect(PhoneNumber.saySame("ext  5", " ext 5"))
    #expect(!PhoneNumber.saySame("7291234567", "7291234568"))
    #expect(!PhoneNumber.saySame("7291234567", "12 7291234567"))
  }
}
