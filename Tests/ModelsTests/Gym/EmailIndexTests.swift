import FirestoreModels
import Foundation
import GymModels
import Testing

@Suite struct EmailIndexTests {
  /// The oracle is the code of the iOS app, for every scalar at either end and alone.
  @Test func normalisesAsTheAppDoes() {
    var differing: [UInt32] = []
    for code in UInt32(0)...0x3FFFF {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let text = "\(scalar)A@B\(scalar)"
      let judge = text.lowercased().trimmingCharacters(in: .whitespacesAndNewlines)
      if !EmailIndex.normalised(text).isIdentical(to: judge) { differing.append(code) }
    }
    #expect(differing.isEmpty)
  }

  @Test(
    arguments: [
      (" Ana.Lopez@Gmail.COM\n", "ana.lopez@gmail.com"), ("\r\n\tA@B\u{A0}", "a@b"), ("a b@c", "a b@c"),
      (" \n ", ""), ("", ""), ("ÑANDÚ@x", "ñandú@x"), ("\u{200B}a@b", "a@b"),
    ])
  func normalises(email: String, id: String) {
    #expect(EmailIndex.normalised(email).isIdentical(to: id))
    #expect(EmailIndex.normalised(id).isIdentical(to: id))
  }

  @Test(
    arguments: [
      ("a@b", nil), ("", .empty), ("ana", .noAt), (".", .noAt), ("a/b@c", .slash), ("a/b", .noAt),
      (String(repeating: "a", count: 1498) + "@b", nil),
      (String(repeating: "a", count: 1499) + "@b", .tooLong),
      (String(repeating: "ñ", count: 750) + "@b", .tooLong), ("__@__", .reserved), ("__a@b__", .reserved),
      ("_a@b_", nil), ("__a@b", nil),
    ] as [(String, EmailIndex.Problem?)]
  )
  func tellsWhyThereIsNoEntry(email: String, problem: EmailIndex.Problem?) {
    #expect(EmailIndex.problem(ofNormalised: email) == problem)
  }

  @Test func entryKeepsOtherFields() {
    let fields = UserEmailEntry(primaryUserId: "u1", email: "a@b").fields(over: [
      "createdAt": .null, "email": .string("A@b"),
    ])
    #expect(fields == ["createdAt": .null, "email": .string("a@b"), "primaryUserId": .string("u1")])
  }
}
