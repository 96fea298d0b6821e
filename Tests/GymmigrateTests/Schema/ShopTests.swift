import Foundation
import TestSupport
import Testing

/// A database that is not the gym's, from its first inference to undone mistakes: nothing of a gym in any output, and nothing
/// written but what was asked for.
@Suite("A shop", .timeLimit(.minutes(60))) struct ShopTests {
  private static let samples = Samples.repository.appendingPathComponent("samples/shop").path
  private static let collections = ["customers", "orders", "products"]

  /// Words of the gym, none of which a shop must see.
  private static let foreign = [
    "gym's", "sajarubox", "members", "membership", "check_ins", "payments", "user_emails", "users-unify",
    "isActive",
    "classBookings", "America/Mexico_City",
  ]

  /// Runs a command of the shop, and looks for words of the gym in what it prints.
  private func shop(_ tool: Tool, _ arguments: [String], _ code: Int32 = 0) async throws -> RunResult {
    let result = try await tool.bare(arguments + tool.place).expect(code)
    for word in Self.foreign {
      #expect(
        !(result.output + result.errors).contains(word),
        "\(arguments): \(word)\n\(result.output)\(result.errors)"
      )
    }
    return result
  }

  private func withShop(_ body: (Tool) async throws -> Void) async throws {
    try await withTool { tool in
      for file in ["shop.yaml", "gymmigrate.yaml"] {
        try FileManager.default.copyItem(atPath: "\(Self.samples)/\(file)", toPath: tool.path(file))
      }
      let files = Self.collections.map { "\(Self.samples)/\($0).jsonl" }
      _ = try await shop(tool, ["import"] + files + ["--source", "projects/shop-7f3a/databases/live"])
      try await body(tool)
    }
  }

  /// The documents of a collection by their paths, as JSON.
  private func documents(_ tool: Tool, _ collection: String) async throws -> [String: [String: Any]] {
    let result = try await shop(tool, ["export", collection, "-o", "-", "--format", "jsonl", "-q"])
    var documents: [String: [String: Any]] = [:]
    for line in result.output.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      documents[try #require(object?["name"] as? String)] = object?["fields"] as? [String: Any] ?? [:]
    }
    return documents
  }

  @Test("Its own data obey its schema, and those inferred from them.")
  func infer() async throws {
    try await withShop { tool in
      _ = try await shop(tool, ["check"])
      _ = try await shop(tool, ["schema", "infer", "-o", "inferred.yaml"])
      let valid = try await tool.bare(["schema", "validate", "inferred.yaml"]).expect(0)
      #expect(valid.output.contains("4 collections"))
      let inferred = try tool.text("inferred.yaml")
      for line in [
        "customerId: { type: string, required: true, reference: customers }",
        "product: { type: reference, required: true, reference: products }",
        "email: { type: string, required: true, format: email }",
        "country: { type: string, required: true, values: [ES, FR, PT] }", "create-time: createdAt",
      ] {
        #expect(inferred.contains(line), "\(line)\n\(inferred)")
      }
      _ = try await shop(tool, ["check", "--schema", "inferred.yaml"])
      _ = try await shop(tool, ["schema", "drift", "--schema", "inferred.yaml"])
      _ = try await shop(tool, ["schema", "drift"])
      _ = try await shop(tool, ["schema", "infer", "orders", "--profile"])
      for format in ["yaml", "table", "html"] {
        let shown = try await tool.bare(["schema", "show", "--format", format]).expect(0)
        #expect(shown.output.contains("customerId"))
      }
    }
  }

  @Test(
    "A text with few values is inferred as a reference if they are ids of one collection, and else as closed values."
  )
  func fewValues() async throws {
    try await withStores { tool in
      let plans = (1...3).map { documentLine("plans/plan\($0)", $0) }
      let members = (10...29).map { number in
        let texts = [("plan", "plan\(number % 3 + 1)"), ("tier", "tier\(number % 3 + 1)")]
        let fields = texts.map { #","\#($0)":{"stringValue":"\#($1)"}"# }.joined()
        return documentLine("subscribers/m\(number)", number, fields)
      }
      try await tool.load(plans + members, into: "test")
      try await tool.bare(["schema", "infer", "-e", "test", "--schema", "none", "-o", "inferred.yaml"])
        .expect(0)
      let inferred = try tool.text("inferred.yaml")
      #expect(inferred.contains("plan: { type: string, required: true, reference: plans }"), "\(inferred)")
      #expect(
        inferred.contains("tier: { type: string, required: true, values: [tier1, tier2, tier3] }"),
        "\(inferred)"
      )
    }
  }

  @Test(
    "Each mistake in a table is refused with row, column, value and what is expected, and nothing is written."
  )
  func importing() async throws {
    try await withShop { tool in
      let csv = "\(Self.samples)/new-customers.csv"
      let options = [
        "import", csv, "--collection", "customers", "--id-column", "id", "--defaults", "--server-times",
      ]
      let before = try await documents(tool, "customers")
      let refused = try await shop(tool, options, 65)
      let run = try #require(tool.runs().last { $0.contains("-import-") })
      #expect(
        try tool.text("\(run)/validation.csv") == """
          \u{FEFF}file,row,column,heading,value,expected\r
          "\(csv)","3","3","Email","ivan(at)example.com","an email address"\r
          "\(csv)","4","2","Name","","string, and it is missing"\r
          "\(csv)","5","5","Tier","platinum","one of basic, plus, pro"\r
          "\(csv)","6","1","id","x1005","one that matches c[0-9]{4}"\r

          """
      )
      #expect(refused.errors.contains("(4 cells or rows in all)") && !refused.errors.contains("ivan(at)"))
      #expect(try await documents(tool, "customers").keys.sorted() == before.keys.sorted())
      // The one without a mistake, with its defaults and times of the server.
      _ = try await shop(tool, options + ["--parse-errors", "skip-row"], 2)
      let after = try await documents(tool, "customers")
      #expect(Set(after.keys).subtracting(before.keys) == ["customers/c1001"])
      let made = try #require(after["customers/c1001"])
      #expect(
        Set(made.keys) == [
          "name", "email", "phone", "tier", "newsletter", "archived", "createdAt", "updatedAt",
        ]
      )
      #expect((made["archived"] as? [String: Bool])?["booleanValue"] == false)
      #expect((made["createdAt"] as? [String: String]) == (made["updatedAt"] as? [String: String]))
      // What is refused comes back as a list that can be corrected.
      let rejects = try #require(tool.runs().last { tool.names(in: $0).contains("rejects.csv") })
      let corrected = try tool.text("\(rejects)/rejects.csv").replacing("(at)", with: "@").replacing(
        "platinum",
        with: "plus"
      )
      .replacing("x1005", with: "c1005").replacing("c1003,,", with: "c1003,Eva Bosque,")
      try tool.write(corrected, to: "corrected.csv")
      _ = try await shop(
        tool,
        [
          "import", "corrected.csv", "--collection", "customers", "--id-column", "id", "--defaults",
          "--server-times",
        ]
      )
      _ = try await shop(tool, ["check"])
      #expect(try await documents(tool, "customers").count == before.count + 5)
    }
  }

  @Test("JSON Lines are warned of, and refused or not looked at where that is asked for.")
  func jsonLines() async throws {
    try await withShop { tool in
      let line =
        #"{"name":"customers/c2000","fields":{"name":{"stringValue":"Ana"},"tier":{"stringValue":"none"}}}"#
      try tool.write(line + "\n", to: "c.jsonl")
      let refused = try await shop(tool, ["import", "c.jsonl", "--validate", "reject"], 65)
      #expect(
        refused.errors.contains("line 1") && refused.errors.contains("tier: expected one of basic, plus, pro")
      )
      let skipped = try await shop(
        tool,
        ["import", "c.jsonl", "--validate", "reject", "--parse-errors", "skip-row"],
        2
      )
      #expect(skipped.errors.contains("1 rejected"))
      let run = try #require(tool.runs().last { tool.names(in: $0).contains("rejects.jsonl") })
      #expect(try tool.text("\(run)/rejects.jsonl").contains(#""path":"customers/c2000""#))
      let quiet = try await shop(tool, ["import", "c.jsonl", "--validate", "off", "-n"])
      #expect(!quiet.errors.contains("tier"))
      let warned = try await shop(tool, ["import", "c.jsonl"])
      #expect(warned.errors.contains("warning: c.jsonl line 1, tier: expected one of basic, plus, pro"))
      #expect(try await documents(tool, "customers")["customers/c2000"]?.count == 2)
      // A folder that an export wrote is restored as it is.
      _ = try await shop(tool, ["export", "customers", "-o", "backup/", "--format", "jsonl"])
      let restored = try await shop(tool, ["import", "backup", "--mode", "upsert"])
      #expect(!restored.errors.contains("expected"))
    }
  }

  @Test("Changed documents get the update time, new ones both, and those as they are none.")
  func serverTimes() async throws {
    try await withShop { tool in
      let before = try await documents(tool, "customers")
      let source = try String(contentsOfFile: "\(Self.samples)/customers.jsonl", encoding: .utf8)
      let first = try #require(source.split(separator: "\n").first)
      let other = first.replacing(
        #""tier":{"stringValue":"#,
        with: #""note":{"stringValue":"x"},"tier":{"stringValue":"#
      )
      try tool.write(source.replacing(first, with: other), to: "customers.jsonl")
      let options = ["import", "customers.jsonl", "--mode", "upsert", "--server-times", "--validate", "off"]
      let result = try await shop(tool, options)
      #expect(result.errors.contains("customers: 60 read, 1 written, 59 unchanged"), "\(result.errors)")
      let after = try await documents(tool, "customers")
      let changed = after.keys.filter { after[$0]?["note"] != nil }
      #expect(changed.count == 1)
      for name in changed {
        #expect(
          after[name]?["createdAt"] as? [String: String] == before[name]?["createdAt"] as? [String: String]
        )
        #expect(
          after[name]?["updatedAt"] as? [String: String] != before[name]?["updatedAt"] as? [String: String]
        )
      }
      let again = try await shop(tool, options)
      #expect(again.errors.contains("customers: 60 read, 60 unchanged"), "\(again.errors)")
    }
  }

  @Test(
    "Tables carry the shop's columns, labels and zone, and come back as they went.",
    arguments: ["csv", "xlsx"]
  )
  func tables(_ format: String) async throws {
    try await withShop { tool in
      let header = format == "csv" ? ["--header", "spanish"] : ["--header", "es"]
      _ = try await shop(tool, ["export", "customers", "-o", "customers.\(format)"] + header)
      if format == "csv" {
        let line = try tool.text("customers.csv").split(whereSeparator: \.isNewline).first ?? ""
        #expect(
          line
            == "__name__,Nombre,Correo,Teléfono,Nivel,Calle,Ciudad,Código postal,País,Boletín,Archivado,Alta,Cambio"
        )
      }
      let result = try await shop(tool, ["import", "customers.\(format)", "--mode", "upsert"])
      #expect(result.errors.contains("customers: 60 read, 60 unchanged"), "\(result.errors)")
      let refused = try await shop(tool, ["export", "customers", "-o", "c.csv", "--header", "pt"], 64)
      #expect(refused.errors.contains("no labels in that language"))
    }
  }

  @Test("fix and delete touch what the schema says, and leave what is immutable.")
  func changing() async throws {
    try await withShop { tool in
      let orders = try await documents(tool, "orders")
      let shipped = orders.filter { ($0.value["status"] as? [String: String])?["stringValue"] == "shipped" }
        .count
      let plan = try await shop(tool, ["fix", "orders", "--all-documents", "--set", "note=x", "-n"], 2)
      #expect(plan.output.contains("left alone, immutable: \(shipped)"), "\(plan.output)")
      let lower = try await shop(tool, ["fix", "customers", "--all-documents", "--lower", "email", "-n"])
      #expect(lower.errors.contains("no two documents of customers share email"), "\(lower.errors)")
      _ = try await shop(tool, ["fix", "orders", "--all-documents", "--set", "note=x"], 2)
      var after = try await documents(tool, "orders")
      for (name, fields) in after {
        // No update time where the schema has none.
        #expect(
          Set(fields.keys).isSubset(of: ["customerId", "status", "total", "placedAt", "note"]),
          "\(name)"
        )
      }
      #expect(
        after.count { ($0.value["note"] as? [String: String])?["stringValue"] == "x" } == orders.count
          - shipped
      )
      _ = try await shop(tool, ["fix", "orders", "--all-documents", "--set", "note=x", "--allow-immutable"])
      after = try await documents(tool, "orders")
      #expect(after.allSatisfy { ($0.value["note"] as? [String: String])?["stringValue"] == "x" })

      let before = try await documents(tool, "customers")
      _ = try await shop(tool, ["delete", "customers", "--id", "c0001"])
      let customers = try await documents(tool, "customers")
      #expect((customers["customers/c0001"]?["archived"] as? [String: Bool])?["booleanValue"] == true)
      #expect(customers["customers/c0001"]?["isActive"] == nil)
      #expect(
        customers["customers/c0001"]?["updatedAt"] as? [String: String]
          != before["customers/c0001"]?["updatedAt"] as? [String: String]
      )
      let refused = try await shop(tool, ["delete", "products", "--where", "stock >= 0"], 64)
      #expect(refused.errors.contains("--hard deletes for good"))
      let hard = try await shop(
        tool,
        ["delete", "orders", "--where", "status == shipped", "--hard", "--max-delete", "200"],
        2
      )
      #expect(hard.errors.contains("\(shipped) rejected"))
    }
  }

  @Test("Migrations are the shop's own, and find looks where its schema says.")
  func migrations() async throws {
    try await withShop { tool in
      let list = try await tool.bare(["migrate", "list"]).expect(0)
      #expect(list.output.isEmpty)
      _ = try await shop(tool, ["migrate", "plan", "--all"], 64)
      let file = "\(Self.samples)/migrations/tier-gold-to-pro.yaml"
      _ = try await shop(tool, ["migrate", "apply", file])
      let customers = try await documents(tool, "customers")
      #expect(!customers.values.contains { ($0["tier"] as? [String: String])?["stringValue"] == "gold" })
      let found = try await shop(tool, ["find", "c0007"], 0)
      #expect(found.output.isEmpty)
      let people = try await shop(tool, ["find", "rita"])
      #expect(people.output.hasPrefix("customers/"))
      #expect(people.output.split(separator: "\n").allSatisfy { $0.contains("Rita") || $0.contains("rita") })
    }
  }

  @Test("Personal data stay in a protected environment by the shop's own word; its catalogue is free.")
  func copying() async throws {
    let live = MiniFirestore()
    for collection in Self.collections {
      try live.load(jsonLines: String(contentsOfFile: "\(Self.samples)/\(collection).jsonl", encoding: .utf8))
    }
    try await withTool(against: live.handler) { tool, server in
      try FileManager.default.copyItem(atPath: "\(Self.samples)/shop.yaml", toPath: tool.path("shop.yaml"))
      try tool.write(
        """
        project: test-project
        schema: shop.yaml
        environments:
          live: { database: (default), endpoint: "\(server.url)", protected: true }
        """,
        to: "gymmigrate.yaml"
      )
      var tool = tool
      tool.place = ["--from", "live", "--to", "local", "--read-time", "none"]
      _ = try await shop(tool, ["copy", "--catalogues", "-y"])
      for (collection, reason) in [
        ("customers", "it holds names, addresses and phones"), ("orders", "it says who bought what"),
      ] {
        let refused = try await shop(tool, ["copy", collection, "-y"], 77)
        #expect(refused.errors.contains("held back: \(reason)"), "\(refused.errors)")
      }
      _ = try await shop(tool, ["copy", "customers", "-y", "--keep-personal-data"])
      tool.place = ["-e", "local"]
      #expect(try await documents(tool, "products").count == 25)
      #expect(try await documents(tool, "customers").count == 60)
    }
  }

  @Test("Without a schema nothing is known of any collection.")
  func none() async throws {
    try await withShop { tool in
      var tool = tool
      tool.place += ["--schema", "none"]
      _ = try await shop(tool, ["check"], 64)
      _ = try await shop(tool, ["find", "rita"], 64)
      _ = try await shop(tool, ["delete", "customers", "--id", "c0001"], 64)
      _ = try await shop(tool, ["copy", "--catalogues", "--from", "dev", "--to", "local"], 64)
      let before = try await documents(tool, "customers")
      _ = try await shop(tool, ["fix", "customers", "--where", "tier == gold", "--set", "tier=pro"])
      let after = try await documents(tool, "customers")
      for (name, fields) in after {
        #expect(fields["updatedAt"] as? [String: String] == before[name]?["updatedAt"] as? [String: String])
      }
    }
  }

  @Test("A schema that is missing, malformed or not known is an error at the place where it is named.")
  func errors() async throws {
    try await withTool { tool in
      try tool.write("schema: s\ncollections:\n  a:\n    fields: { b: text }\n", to: "bad.yaml")
      let bad = try await tool.bare(["count", "a", "-e", "local", "--schema", "bad.yaml"])
      bad.expectFailure(78, "bad.yaml", "line 4, column 18", "string, integer")
      try await tool.bare(["schema", "validate", "bad.yaml"]).expectFailure(65, "bad.yaml", "line 4")
      try tool.write(
        "schema: s\ntime-zone: Europe/Berln\ncollections:\n  a: { fields: { b: string } }\n",
        to: "zone.yaml"
      )
      let zone = try await tool.bare(["schema", "validate", "zone.yaml"])
      zone.expectFailure(65, "zone.yaml", "line 2, column 12: 'Europe/Berln'", "no such time zone")
      try await tool.bare(["schema", "validate", "gone.yaml"]).expectFailure(66, "gone.yaml")
      try await tool.bare(["count", "a", "-e", "local", "--schema", "gim"]).expectFailure(
        64,
        "gim",
        "gym or none"
      )
      try tool.write("project: p\nschema: gim\nenvironments:\n  a: {}\n", to: "gymmigrate.yaml")
      try await tool.bare(["count", "a", "-e", "local"]).expectFailure(78, "line 2, column 9", "gym or none")
    }
  }

  @Test("A configuration for any project has nothing of the gym, and is read as it was written.")
  func plain() async throws {
    try await withTool { tool in
      try await tool.bare(["env", "init", "--plain"]).expect(0)
      let text = try tool.text("gymmigrate.yaml")
      for word in Self.foreign + ["gym:", "legacy"] { #expect(!text.contains(word), "\(word)") }
      let list = try await tool.bare(["env", "list"]).expect(0)
      #expect(list.output.split(separator: "\n").count == 4)
      #expect(
        list.output.contains("prod\tmy-project\t(default)\thttps://firestore.googleapis.com\tprotected")
      )
    }
  }
}
