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
}
