import Foundation
import TestSupport
import Testing

// Values as REST JSON.
func s(_ text: String) -> String {
  String(decoding: (try? JSONEncoder().encode(["stringValue": text])) ?? Data(), as: UTF8.self)
}
func i(_ number: Int64) -> String { #"{"integerValue":"\#(number)"}"# }
func d(_ number: Double) -> String { #"{"doubleValue":\#(number)}"# }
func b(_ truth: Bool) -> String { #"{"booleanValue":\#(truth)}"# }
func t(_ moment: String) -> String { #"{"timestampValue":"\#(moment)"}"# }
func m(_ fields: [String: String]) -> String {
  if fields.isEmpty { return #"{"mapValue":{}}"# }
  let members = fields.map { "\(s($0.key).dropFirst(15).dropLast()):\($0.value)" }.joined(separator: ",")
  return #"{"mapValue":{"fields":{\#(members)}}}"#
}
let null = #"{"nullValue":null}"#

/// Documents by name, their fields as REST JSON.
typealias Documents = [String: [String: String]]

/// A sample of samples/migrations: documents before and after it, and how it ends.
struct SampleMigration: Sendable, CustomTestStringConvertible {
  var file: String
  var before: Documents
  /// Those that change, with all their fields but updatedAt; the others stay, byte for byte.
  var changed: Documents
  var deleted: [String] = []
  var flags: [String] = []
  var exitCode: Int32 = 0
  /// Whether what changes has updatedAt from the server.
  var touches = true
  var listed: [String] = []
  /// The program that decides, without which it cannot be tried.
  var program: String?

  /// Whether its program is installed.
  var canRun: Bool {
    guard let program else { return true }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }

  var testDescription: String { file }
}

@Suite("The sample migrations, on the embedded store", .timeLimit(.minutes(60)))
struct SampleMigrationTests {
  static let folder = Samples.repository.appendingPathComponent("samples/migrations").path
  private static let old = t("2020-01-01T00:00:00Z")

  static let samples: [SampleMigration] = [
    SampleMigration(
      file: "members-phone-digits",
      before: [
        "members/1": ["phone": s("+52 729-959 5662"), "emergencyPhone": s("(722) 111.2233")],
        "members/2": ["phone": s("7299595662")],
        "members/3": ["phone": s("729 ext 4"), "emergencyPhone": s("1-2")],
        "members/4": ["phone": null, "emergencyPhone": s(" ")], "groups/1/members/5": ["phone": s("1-2")],
      ],
      changed: ["members/1": ["phone": s("527299595662"), "emergencyPhone": s("7221112233")]],
      exitCode: 2,
      listed: ["members/3"]
    ),
    SampleMigration(
      file: "users-wrong-types",
      before: [
        "users/1": ["telefono": i(7_299_595_662), "activo": s("si")],
        "users/2": ["telefono": s("007"), "activo": b(false)],
        "users/3": ["telefono": i(5), "activo": s("quizás")], "users/4": ["activo": null],
        "users/5": ["telefono": m([:])],
      ],
      changed: ["users/1": ["telefono": s("7299595662"), "activo": b(true)]],
      exitCode: 2,
      listed: ["users/3", "users/5"]
    ),
    SampleMigration(
      file: "members-status-english",
      before: [
        "members/1": ["membershipStatus": s("activa")], "members/2": ["membershipStatus": s("vencida")],
        "members/3": ["membershipStatus": s("active")], "members/4": ["membershipStatus": s("Activa")],
        "members/5": [:],
      ],
      changed: [
        "members/1": ["membershipStatus": s("active")], "members/2": ["membershipStatus": s("expired")],
      ]
    ),
    SampleMigration(
      file: "users-names",
      before: [
        "users/1": ["fullName": s("Ana López Ruiz")],
        "users/2": ["nombre": s("Eva"), "primerApellido": s("Sol"), "segundoApellido": s("Mar")],
        "users/3": ["fullName": s("Juan de la Cruz")],
        "users/4": ["fullName": s("Ana Ruiz"), "nombre": s("Eva")],
        "users/5": ["nombre": s("Eva"), "segundoApellido": null],
        "users/6": ["fullName": s("Ana López Ruiz"), "firstName": s("Anita")],
      ],
      changed: [
        "users/1": [
          "fullName": s("Ana López Ruiz"), "firstName": s("Ana"), "paternalLastName": s("López"),
          "maternalLastName": s("Ruiz"),
        ],
        "users/2": [
          "nombre": s("Eva"), "primerApellido": s("Sol"), "segundoApellido": s("Mar"),
          "fullName": s("Eva Sol Mar"),
          "firstName": s("Eva"), "paternalLastName": s("Sol"), "maternalLastName": s("Mar"),
        ],
        "users/5": ["nombre": s("Eva"), "segundoApellido": null, "fullName": s("Eva")],
      ],
      exitCode: 2,
      listed: ["users/4", "users/6"]
    ),
    SampleMigration(
      file: "snapshot-currency",
      before: [
        "payments/1": ["status": s("completed"), "type": s("membership"), "old.notes": s("x")],
        "sites/a/payments/2": [
          "status": s("completed"), "type": s("membership"), "currency": s("USD"),
          "membershipPlanSnapshot": m(["planCurrency": s(""), "legacyId": i(4), "planName": s("Anual")]),
        ],
        "payments/3": ["status": s("pending"), "type": s("membership")],
        "payments/4": [
          "status": s("completed"), "type": s("membership"), "membershipPlanSnapshot": s("none"),
        ],
      ],
      changed: [
        "payments/1": [
          "status": s("completed"), "type": s("membership"), "currency": s("MXN"),
          "membershipPlanSnapshot": m(["planCurrency": s("MXN")]),
        ],
        "sites/a/payments/2": [
          "status": s("completed"), "type": s("membership"), "currency": s("USD"),
          "membershipPlanSnapshot": m(["planCurrency": s("MXN"), "planName": s("Anual")]),
        ],
      ],
      // The plan that it begins lacks what the schema requires of one.
      flags: ["--allow-schema-breaks"],
      exitCode: 2,
      listed: ["payments/4"]
    ),
    SampleMigration(
      file: "classes-english-copies",
      before: [
        "classes/1": ["nombre": s("Yoga"), "grupo": s("g1"), "fecha": i(1_767_225_600_000)],
        "classes/2": ["nombre": s("Yoga"), "name": s("Yoga!"), "gymId": s("sajarubox")],
        "classes/3": ["fecha": t("2026-01-01T00:00:00Z"), "gymId": s("other"), "version": i(2)],
        "classes/4": ["fecha": s("mañana")],
      ],
      changed: [
        // date -u -d @1767225600
        "classes/1": [
          "nombre": s("Yoga"), "name": s("Yoga"), "recurrenceGroupId": s("g1"),
          "fecha": t("2026-01-01T00:00:00Z"), "gymId": s("sajarubox"), "version": i(2),
        ],
        "classes/3": ["fecha": t("2026-01-01T00:00:00Z"), "gymId": s("sajarubox"), "version": i(2)],
      ],
      exitCode: 2,
      listed: ["classes/2", "classes/4"]
    ),
    SampleMigration(
      file: "user-emails-lower",
      before: [
        "user_emails/a@x.mx": ["email": s(" A@X.mx\n")], "user_emails/b@x.mx": ["email": s("b@x.mx")],
      ],
      changed: ["user_emails/a@x.mx": ["email": s("a@x.mx"), "updatedAt": old]],
      touches: false
    ),
    SampleMigration(
      file: "expenses-old-drafts",
      before: [
        "expenses/1": ["amount": d(0), "date": t("2024-12-31T23:00:00Z"), "isActive": b(true)],
        "expenses/2": ["amount": d(0), "date": t("2024-12-31T23:00:00Z"), "isActive": b(false)],
        "expenses/3": ["amount": i(0), "date": t("2024-12-31T23:00:00Z")],
        // One second before midnight in Mexico City is still 2024; midnight is not.
        "expenses/4": ["amount": d(0), "date": t("2025-01-01T05:59:59Z")],
        "expenses/5": ["amount": d(0), "date": t("2025-01-01T06:00:00Z")],
        "expenses/6": ["amount": d(1), "date": t("2024-01-01T00:00:00Z")],
      ],
      changed: [
        "expenses/1": ["amount": d(0), "date": t("2024-12-31T23:00:00Z"), "isActive": b(false)],
        "expenses/3": ["amount": i(0), "date": t("2024-12-31T23:00:00Z"), "isActive": b(false)],
        "expenses/4": ["amount": d(0), "date": t("2025-01-01T05:59:59Z"), "isActive": b(false)],
      ]
    ),
    SampleMigration(
      file: "check-ins-old-visitors",
      before: [
        "check_ins/1": ["type": s("visitor"), "checkInDate": t("2023-12-31T23:00:00Z")],
        "check_ins/2": ["type": s("visitor"), "checkInDate": t("2024-02-01T00:00:00Z")],
        "check_ins/3": ["type": s("member"), "checkInDate": t("2023-01-01T00:00:00Z")],
        "check_ins/4": ["type": s("visitor"), "checkInDate": t("2023-01-01T00:00:00Z")],
        "check_ins/4/photos/p": ["url": s("x")],
      ],
      changed: [:],
      deleted: ["check_ins/1"],
      flags: ["--max-delete", "1"],
      exitCode: 2,
      listed: ["check_ins/4"]
    ),
    SampleMigration(
      file: "members-names",
      before: [
        "members/1": ["firstName": s("Li\u{301}a"), "paternalLastName": s("de  la Cruz "), "visits": i(1)],
        "members/2": ["firstName": s("Lía"), "maternalLastName": null], "members/3": ["firstName": s("  ")],
        "members/4": [:],
      ],
      changed: [
        "members/1": ["firstName": s("L\u{ED}a"), "paternalLastName": s("de la Cruz"), "visits": i(1)]
      ],
      exitCode: 2,
      listed: ["members/3"],
      program: "python3"
    ),
    SampleMigration(
      file: "products-descriptions",
      before: [
        "products/1": ["description": s("ñame, pieza"), "price": d(1.5)],
        "products/2": ["description": s("Agua")],
        "products/3": ["description": s("")], "products/4": ["price": d(2)],
      ],
      changed: ["products/1": ["description": s("Ñame, pieza"), "price": d(1.5)]],
      program: "node"
    ),
    SampleMigration(
      file: "products-empty-images",
      before: [
        "products/1": ["imageURL": s(""), "price": d(1)], "products/2": ["imageURL": s("https://x.mx/a.png")],
        "products/3": ["price": d(2)],
      ],
      changed: ["products/1": ["price": d(1)]],
      program: "jq"
    ),
  ]

  @Test func everySampleIsTested() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(Set(files.filter { $0.hasSuffix(".yaml") }) == Set(Self.samples.map { "\($0.file).yaml" }))
  }

  @Test("Each leaves what it says, and changes nothing the second time", arguments: samples.filter(\.canRun))
  func sample(_ sample: SampleMigration) async throws {
    let before = sample.before.mapValues { $0.merging(["updatedAt": Self.old]) { old, _ in old } }
    try await withTool { tool in
      try await tool.load(before)
      let file = "\(Self.folder)/\(sample.file).yaml"
      try await tool.run("migrate", "plan", file, "--exit-code").expect(1)
      #expect(try await tool.documents() == (try parsed(before)), "a plan only reads")
      let arguments = ["migrate", "apply", file, "--json"] + sample.flags
      let applied = try await tool.bare(arguments + tool.place)
      applied.expect(sample.exitCode)
      let summary = try applied.summary()
      let totals = summary.totals
      #expect(totals.written == sample.changed.count + sample.deleted.count)
      #expect(totals.deleted == sample.deleted.count)
      #expect(totals.balance)

      var expected = before
      for name in sample.deleted { expected[name] = nil }
      for (name, fields) in sample.changed { expected[name] = fields }
      var found = try await tool.documents()
      if sample.touches {
        for name in sample.changed.keys {
          let time = found[name]?["updatedAt"] as? [String: String]
          found[name] = found[name]?.without("updatedAt")
          // The schema declares no collection below another's documents here, so nothing is known of its times.
          let isDeclared = name.split(separator: "/").count == 2
          #expect((time?["timestampValue"].map { $0 > "2021" } ?? false) == isDeclared, "\(name): updatedAt")
        }
      }
      #expect(try found == parsed(expected))
      let folder = ".gymmigrate/runs/\(summary.runId)"
      let lists =
        ((try? tool.text("\(folder)/rejects.jsonl")) ?? "") + ((try? tool.text("\(folder)/review.csv")) ?? "")
      for name in sample.listed { #expect(lists.contains("\"\(name)\""), "\(name) is not listed") }

      let again = try await tool.bare(arguments + tool.place)
      again.expect(sample.exitCode)
      #expect(try again.summary().totals.written == 0)
    }
  }
}

/// Documents as their JSON says them.
func parsed(_ documents: Documents) throws -> [String: NSDictionary] {
  try documents.mapValues { fields in
    let pairs = try fields.map { name, value in
      (name, try JSONSerialization.jsonObject(with: Data(value.utf8)))
    }
    return NSDictionary(dictionary: Dictionary(uniqueKeysWithValues: pairs))
  }
}

extension Tool {
  /// Puts documents into the place.
  func load(_ documents: Documents) async throws {
    let lines = documents.map { name, fields in
      let members = fields.map { "\(s($0.key).dropFirst(15).dropLast()):\($0.value)" }.joined(separator: ",")
      return #"{"fields":{\#(members)},"name":"\#(name)"}"#
    }
    try write(lines.joined(separator: "\n") + "\n", to: "before.jsonl")
    try await run("import", "before.jsonl", "-q").expect(0)
  }

  /// Every document of the place by its name.
  func documents() async throws -> [String: NSDictionary] {
    let folder = "export-\(names(in: ".").count)"
    try await run("export", "--all", "--subcollections", "-o", "\(folder)/", "--format", "jsonl", "-q")
      .expect(0)
    var documents: [String: NSDictionary] = [:]
    for (name, line) in try Judge.lines(path(folder)) {
      let json = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      documents[name] = NSDictionary(dictionary: json?["fields"] as? [String: Any] ?? [:])
    }
    return documents
  }
}

extension NSDictionary {
  /// The dictionary without one member.
  func without(_ name: String) -> NSDictionary {
    var rest: [String: Any] = [:]
    for (key, value) in self {
      if let key = key as? String, key != name { rest[key] = value }
    }
    return NSDictionary(dictionary: rest)
  }
}
