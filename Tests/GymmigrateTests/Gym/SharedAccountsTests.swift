import TestSupport
import Testing

@Suite("The accounts of one person")
struct SharedAccountsTests {
  /// The lines as persons with their ids.
  private func persons(_ output: String) -> [[String]] {
    var persons: [[String]] = []
    for line in output.split(separator: "\n") {
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if persons.count < Int(cells[0]) ?? 0 { persons.append([]) }
      persons[persons.count - 1].append(cells[1])
    }
    return persons
  }

  @Test(
    "An address in any case and a number in any form are shared, in turn; blanks and odd numbers are nobody's."
  )
  func shares() async throws {
    try await withTool { tool in
      try await tool.load([
        "users/a": ["email": s("Ana@Gym.mx "), "telefono": s("729 123 4567")],
        "users/b": ["email": s("ana@gym.mx"), "phone": s("555-000")],
        "users/c": ["email": s("other@gym.mx"), "phone": s("+52 1 (729) 123-4567")],
        "users/d": ["email": s(" "), "phone": s("")], "users/e": ["email": s(" "), "phone": s("")],
        "users/f": ["phone": s("555-000")], "users/g": ["email": s("alone@gym.mx")],
        "users/h": ["email": s("two@gym.mx")], "users/i": ["email": s("TWO@gym.mx")],
      ])
      let found = try await tool.run("email", "accounts").expect(0)
      #expect(persons(found.output) == [["a", "b", "c"], ["h", "i"]])
      let lines = found.output.split(separator: "\n").map(String.init)
      #expect(lines[0] == "1\ta\t-\tAna@Gym.mx \t729 123 4567\t-\temail, phone")
      #expect(found.errors.contains("users: 9 read\n"), "\(found.errors)")
      let list = try await tool.run("email", "accounts", "-o", "list.csv", "--header", "spanish")
      #expect(list.exitCode == 0 && list.errors.contains("See list.csv."), "\(list.errors)")
      let table = try tool.text("list.csv")
      #expect(table.contains("Persona,Nombre,Correo,") && table.contains("\"correo, teléfono\""), "\(table)")
      let spanish = try await tool.run("email", "accounts", "--lang", "es")
      #expect(spanish.output.contains("\tcorreo, teléfono\n"), "\(spanish.output)")
      let ofOne = try await tool.run("email", "accounts", " OTHER@gym.mx").expect(0)
      #expect(persons(ofOne.output) == [["a", "b", "c"]], "\(ofOne.output)")
      let alone = try await tool.run("email", "accounts", "alone@gym.mx").expect(0)
      #expect(alone.output.isEmpty && alone.errors.contains("No user with this address shares it"))
      try await tool.run("email", "accounts", "nobody").expectFailure(64, "'nobody'")
      try await tool.run("email", "resolve", "ana@gym.m").expectFailure(
        66,
        "'gymmigrate find' looks people up"
      )
    }
  }

  @Test("A number that is stored as a number is shared as the same one in a text is, and the list shows it.")
  func numbers() async throws {
    try await withTool { tool in
      try await tool.load([
        "users/a": ["phone": s("729 123 4567")], "users/b": ["telefono": i(7_291_234_567)],
        "users/c": ["phone": d(7_291_234_567)], "users/d": ["phone": i(5_217_291_234_567)],
        "users/e": ["phone": s(" "), "telefono": i(7_291_234_567)], "users/f": ["phone": d(7.29)],
        "users/g": ["phone": d(7.29)], "users/h": ["phone": b(true)], "users/i": ["phone": b(true)],
      ])
      let found = try await tool.run("email", "accounts").expect(0)
      #expect(persons(found.output) == [["a", "b", "c", "d", "e"]])
      #expect(found.output.split(separator: "\n").filter { $0.contains("\t7291234567\t") }.count == 3)
      #expect(
        try await tool.run("find", "7291234567", "-q").expect(0).output.split(separator: "\n").count == 5
      )
    }
  }

  @Test("An address of an account that is inactive, is gone, or has another address by now, is said to be.")
  func doubtfulOwner() async throws {
    try await withTool { tool in
      var documents: Documents = [
        "users/a": ["email": s(" A@gym.mx"), "activo": b(true)],
        "users/b": ["email": s("b@gym.mx"), "isActive": b(false), "activo": b(true)],
        "users/c": ["email": s("c@gym.mx"), "activo": b(false)], "users/e": ["email": s("new@gym.mx")],
        "users/f": ["email": s("e@gym.mx")], "users/g": ["email": null],
      ]
      for id in ["a", "b", "c", "d", "e", "g"] {
        documents["user_emails/\(id)@gym.mx"] = ["primaryUserId": s(id)]
      }
      try await tool.load(documents)
      let (gone, other) = ("is not there", "has another address in email, or none")
      for (id, said) in [
        ("a", nil), ("b", "is inactive"), ("c", "is inactive"), ("d", gone), ("e", other), ("g", other),
      ] {
        let found = try await tool.run("email", "resolve", "\(id)@gym.mx")
        #expect(found.exitCode == 0 && found.output == "\(id)\n")
        let warning = said.map { "users/\(id), whom the index names for the address, \($0)." }
        #expect(found.errors.contains("whom the index names") == (warning != nil), "\(found.errors)")
        if let warning { #expect(found.errors.contains(warning), "\(found.errors)") }
        let advises = found.errors.contains("'gymmigrate migrate plan user-emails'")
        #expect(advises == (said == gone || said == other), "\(found.errors)")
      }
      // The app writes over no entry, so neither does this.
      let taken = try await tool.run("email", "register", "e@gym.mx", "f").expect(2)
      #expect(taken.errors.contains("email-taken"), "\(taken.errors)")
    }
  }

  @Test(
    "An entry that names no user is nobody's, and not another user's.",
    arguments: [s(""), s(" "), null, i(7), nil]
  )
  func entryOfNobody(primaryUser: String?) async throws {
    try await withTool { tool in
      var entry = ["email": s("a@gym.mx")]
      entry["primaryUserId"] = primaryUser
      try await tool.load(["users/a": ["email": s("a@gym.mx")], "user_emails/a@gym.mx": entry])
      let found = try await tool.run("email", "resolve", "a@gym.mx")
      found.expectFailure(66, "primaryUserId", "'gymmigrate migrate plan user-emails'")
      #expect(found.output.isEmpty)
      let refused = try await tool.run("email", "register", "a@gym.mx", "a").expect(2)
      #expect(refused.errors.contains("entry-no-user"), "\(refused.errors)")
      #expect(refused.errors.contains("'gymmigrate migrate plan user-emails'"), "\(refused.errors)")
      #expect(!refused.errors.contains("another user"), "\(refused.errors)")
      try await tool.run("migrate", "apply", "user-emails").expect(0)
      #expect(try await tool.run("email", "resolve", "a@gym.mx").expect(0).output == "a\n")
    }
  }

  /// Users who share at random, against components that are found by walking.
  @Test(arguments: 1...8) func components(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var keys: [String: (email: Int, phone: Int)] = [:]
    for number in 0..<60 {
      let id = "u\(number)"
      keys[id] = (Int.random(in: 0..<70, using: &random), Int.random(in: 0..<70, using: &random))
    }
    var left = Set(keys.keys)
    var expected: [[String]] = []
    for id in keys.keys.sorted() where left.contains(id) {
      var person: Set<String> = []
      var next = [id]
      while let one = next.popLast() {
        guard left.remove(one) != nil, let own = keys[one] else { continue }
        person.insert(one)
        next += left.filter { keys[$0].map { $0.email == own.email || $0.phone == own.phone } ?? false }
      }
      if person.count > 1 { expected.append(person.sorted()) }
    }
    try await withTool { tool in
      try await tool.load(
        keys.reduce(into: [:]) { documents, one in
          documents["users/\(one.key)"] = [
            "email": s("p\(one.value.email)@gym.mx"), "phone": s("72910000\(10 + one.value.phone)"),
          ]
        }
      )
      let found = try await tool.run("email", "accounts")
      #expect(persons(found.output) == expected)
    }
  }
}
