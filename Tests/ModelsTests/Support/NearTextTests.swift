import FirestoreModels
import Testing

@Suite("The name that was probably meant")
struct NearTextTests {
  @Test(
    "One letter of three may be wrong, whatever the case; what is farther away is something else.",
    arguments: [
      ("usres", "users"), ("user", "users"), ("USERS", "users"), ("payment", "payments"), ("stge", "stage"),
      ("prodd", "prod"), ("xyz", nil), ("orders", nil), ("", nil), ("p", nil),
    ] as [(String, String?)]
  )
  func nearest(_ typed: String, _ meant: String?) {
    #expect(typed.nearest(of: ["users", "payments", "stage", "prod"]) == meant)
    #expect(typed.nearest(of: []) == nil)
  }

  @Test("Where none is near, the few are meant that begin so.")
  func meant() {
    let names = ["users-unify", "users-drop-legacy", "is-active", "members-link"]
    #expect("users".meant(of: names) == "users-unify or users-drop-legacy")
    #expect("is-activ".meant(of: names) == "is-active" && "members".meant(of: names) == "members-link")
    #expect("us".meant(of: names) == nil && "groups".meant(of: names) == nil)
    #expect("2026".meant(of: (1...4).map { "2026-\($0)-long-name" }) == nil)
  }
}
