import TestSupport

/// Documents to load, what is there before, and what each mode has to make of it.
///
/// Worked out from the meaning of the modes, document by document: nothing of the program is asked.
struct LoadData: Sendable {
  /// The documents that come in, as JSON Lines.
  var incoming = ""
  /// What is there before.
  var present = ""
  /// What is there afterwards.
  var expected = ""
  var read = 0
  var written = 0
  var unchanged = 0
  var rejected = 0

  init(seed: UInt64, operation: Operation) {
    var random = SplitMix64(seed: seed ^ 0x10AD)
    let ids = ["d", "é", "a b%", "x:y#", "日", "__", "~."]
    let count = Int.random(in: 20...60, using: &random)
    for index in 0..<count {
      let collection = random.chance(percent: 80) ? "c" : "c/p/sub c"
      let name = #""name":"\#(collection)/\#(ids[index % ids.count])\#(index)""#
      let at = #""at":{"timestampValue":"2026-01-02T03:04:05.123456789Z"}"#
      let text = #""t":{"stringValue":"tú \#(index) \#(String(repeating: "ñ", count: index % 40))"}"#
      let n = #""n":{"integerValue":"\#(index)"}"#
      let map = #""a":{"integerValue":"\#(index)"},"b":{"arrayValue":{"values":[{"doubleValue":0.5}]}}"#
      func line(_ members: String...) -> String {
        "{\(name),\"fields\":{\(members.joined(separator: ","))}}\n"
      }
      func nested(_ members: String...) -> String {
        "\"m\":{\"mapValue\":{\"fields\":{\(members.joined(separator: ","))}}}"
      }
      let new = line(n, text, at, nested(map))
      incoming += new
      read += 1
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        expected += new
        written += 1
      case 1:
        present += new
        expected += new
        unchanged += 1
      default:
        let other = #""x":{"nullValue":null}"#
        let old = line(
          #""n":{"integerValue":"-1"}"#,
          #""old":{"booleanValue":true}"#,
          nested(other, #""a":{"integerValue":"-9"}"#)
        )
        present += old
        switch operation {
        case .create:
          expected += old
          rejected += 1
        case .merge:
          expected += line(n, text, at, #""old":{"booleanValue":true}"#, nested(map, other))
          written += 1
        default:
          expected += new
          written += 1
        }
      }
    }
  }
}

/// A small gym that the three migrations have something to do in.
enum GymData {
  /// Users of three app generations, entries of the index of emails that are right, wrong and orphaned, and members.
  static func lines(seed: UInt64) -> String {
    var random = SplitMix64(seed: seed ^ 0x6E11)
    var lines = ""
    func add(_ name: String, _ members: [String]) {
      lines += "{\"name\":\"\(name)\",\"fields\":{\(members.joined(separator: ","))}}\n"
    }
    func text(_ field: String, _ value: String) -> String { #""\#(field)":{"stringValue":"\#(value)"}"# }
    func flag(_ field: String, _ value: Bool) -> String { #""\#(field)":{"booleanValue":\#(value)}"# }
    for index in 0..<18 {
      let email = text("email", random.chance(percent: 20) ? " U\(index)@Gym.MX " : "u\(index)@gym.mx")
      let created = #""createdAt":{"timestampValue":"2025-01-\#(10 + index)T00:00:00Z"}"#
      let role = [text("role", "member"), flag("onboardingCompleted", true), created]
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        add(
          "users/u\(index)",
          role + [
            text("nombre", "Ana"), text("primerApellido", "Ruiz"), flag("activo", index % 2 == 0), email,
          ]
        )
      case 1:
        add(
          "users/u\(index)",
          role + [
            text("firstName", "Eva"), text("paternalLastName", "Paz"), text("fullName", "Eva Paz"),
            flag("isActive", true), email,
          ]
        )
      case 2: add("users/u\(index)", role + [text("nombre", "Ana"), text("activo", "sí"), email])
      default:
        add("users/u\(index)", role + [text("nombre", "José"), text("primerApellido", "Peña")])
      }
    }
    for index in 0..<9 where random.chance(percent: 70) {
      let id = "u\(index)@gym.mx"
      let user = ["u\(index)", "gone", "u\(index + 1)"][index % 3]
      add("user_emails/\(id)", [text("email", index % 2 == 0 ? id : "x"), text("primaryUserId", user)])
    }
    add("user_emails/nobody@gym.mx", [text("email", "nobody@gym.mx"), text("primaryUserId", "gone")])
    for index in 0..<8 {
      add("members/m\(index)", [text("firstName", "Lía")] + (index % 3 == 0 ? [flag("isActive", false)] : []))
    }
    return lines
  }
}
