import Testing

@testable import Files

@Suite("AES-SIV") struct DeterministicCipherTests {
  private static let key = Array(0..<64).map { UInt8($0) }

  // Computed by AESSIV of Python's package `cryptography` from a zero byte and the text.
  @Test(
    "The bytes are those of another implementation.",
    arguments: [
      (
        "users where email == ana@example.com",
        "5d062d86baa7dbd46f7265f16f65f426340c85fc66688f798aec6d0ea5587c5844185ef5a333505b4feaf37724d7f7094d1f6ab3c7"
      ),
      ("", "b6759eda30cb698f7e1ff274610447bd78"),
    ]
  )
  func known(_ text: String, _ sealed: String) throws {
    let cipher = DeterministicCipher(key: Self.key)
    let bytes = try cipher.sealed(Array(text.utf8))
    #expect(Hexadecimal.text(of: bytes) == sealed)
    #expect(try cipher.opened(bytes) == Array(text.utf8))
  }

  @Test("A changed bit anywhere, a missing byte or another key opens nothing.")
  func changed() throws {
    let cipher = DeterministicCipher(key: Self.key)
    let sealed = try cipher.sealed(Array("users".utf8))
    for bit in 0..<sealed.count * 8 {
      var other = sealed
      other[bit / 8] ^= 1 << (bit % 8)
      #expect(try cipher.opened(other) == nil)
    }
    for count in 0..<sealed.count { #expect(try cipher.opened(Array(sealed.prefix(count))) == nil) }
    #expect(try DeterministicCipher(key: Self.key.reversed()).opened(sealed) == nil)
  }
}
