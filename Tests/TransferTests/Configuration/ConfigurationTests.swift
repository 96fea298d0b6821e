import FirestoreModels
import GymModels
import Testing

@testable import Configuration

@Suite("Configuration")
struct ConfigurationTests {
  private func parse(_ text: String) throws(Failure) -> Configuration {
    try Configuration(parsing: text, file: "conf/gymmigrate.yaml")
  }

  private func cause(_ text: String) -> String {
    do throws(Failure) {
      _ = try parse(text)
      return ""
    } catch {
      return error.kind == .configuration && error.path == "conf/gymmigrate.yaml" ? error.cause : "\(error)"
    }
  }

  @Test("A file defines environments, with defaults for what they omit")
  func whole() throws {
    let text = """
      project: sajarubox
      environments:
        test: { database: test }
        prod:
          database: prod
          protected: true
          credentials: keys/prod.json
        other: {project: p2, endpoint: "http://localhost:8080/", credentials: /etc/k.json}
      """
    let configuration = try parse(text)
    #expect(configuration.environments.map(\.name) == ["test", "prod", "other", "local"])
    let prod = try configuration.environment(named: "prod")
    #expect(prod.database == DatabaseName(project: "sajarubox", database: "prod"))
    #expect(prod.isProtected)
    #expect(prod.isRealService)
    #expect(prod.credentials == "conf/keys/prod.json")
    let other = try configuration.environment(named: "other")
    #expect(other.database == DatabaseName(project: "p2", database: "(default)"))
    #expect(other.endpoint == "http://localhost:8080")
    #expect(!other.isRealService)
    #expect(other.credentials == "/etc/k.json")
    #expect(!other.isProtected)
    #expect(try configuration.environment(named: "local").isLocal)
  }

  @Test("The folder of migrations is beside the file, unless it is absolute")
  func migrations() throws {
    let text = "project: p\nenvironments: {a: {}}\n"
    #expect(try parse(text).migrations == nil)
    #expect(try parse(text + "migrations: db/steps").migrations == "conf/db/steps")
    #expect(try parse(text + "migrations: /srv/steps").migrations == "/srv/steps")
    #expect(cause(text + "migrations: []").hasPrefix("line 3, column 13: 'migrations'"))
  }

  @Test("An environment has limits, prices, an edition and a place, and targets that are told of runs")
  func bills() throws {
    let text = "project: p\nenvironments:\n  a: "
    let limits = "{ run: { reads: 5, cost: 0.5 }, day: { writes: 7 } }"
    let all = try parse(text + "{ limits: \(limits), notify: { metrics: m.prom, ping: 'https://x/1' } }\n")
    let environment = try all.environment(named: "a")
    #expect(environment.limits?.run == BillBound(reads: 5, dollars: 0.5))
    #expect(environment.limits?.day == BillBound(writes: 7))
    #expect(environment.notify?.metrics == "conf/m.prom" && environment.notify?.ping?.url == "https://x/1")
    #expect(all.prices(of: environment) == .nam5)
    for (more, known, name) in [
      ("edition: enterprise", false, "the Enterprise edition for a unit each"),
      ("location: us-west1", true, "us-west1, not verified"),
      ("location: eur3", true, "those of eur3 are not known"),
      ("edition: enterprise, prices: { reads: 1, writes: 1, deletes: 1 }", true, "prices of conf/"),
    ] {
      let configuration = try parse(text + "{ \(more) }\n")
      let prices = configuration.prices(of: try configuration.environment(named: "a"))
      #expect(prices.isExact == known && prices.name.contains(name), "\(more): \(prices)")
    }
    #expect(cause(text + "{ limits: { week: {} } }\n").hasPrefix("line 3, column 18: 'limits' has no 'week'"))
    #expect(cause(text + "{ limits: { run: { reads: -1 } } }\n").contains("'reads' must be a whole number"))
    #expect(cause(text + "{ limits: { day: { cost: 1e3 } } }\n").contains("'cost' must be US dollars"))
    #expect(cause(text + "{ edition: premium }\n").contains("'standard' or 'enterprise'"))
    #expect(cause(text + "{ notify: { commands: export } }\n").contains("'commands' must be a list"))
    #expect(
      cause(text + "{ notify: { webhook: 'https://u:p@x/' } }\n").contains("'webhook' must be an address")
    )
  }

  @Test("A database is called as the file calls it, however it was named")
  func knownNames() throws {
    let environments = "environments: {a: {database: a}, b: {database: b}, b2: {database: b}}"
    let configuration = try parse("project: p\n\(environments)\n")
    func names(_ name: String, _ database: String, _ endpoint: String? = nil) -> [String] {
      let database = DatabaseName(project: "p", database: database)
      let environment = DatabaseEnvironment(name: name, database: database, endpoint: endpoint)
      let names = configuration.names(of: environment, isEmulator: false)
      return [names.shown] + ["a", "b", "b2"].filter(names.contains)
    }
    #expect(names("a", "a") == ["a", "a"])
    #expect(names("b2", "b") == ["b2", "b", "b2"] && names("-", "b") == ["b", "b", "b2"])
    #expect(names("a", "b") == ["b", "b", "b2"] && names("a", "c") == ["a", "a"])
    #expect(names("a", "b", "https://proxy.example.com") == ["b", "b", "b2"])
    #expect(names("a", "b", "http://127.0.0.1:1") == ["a", "a"])
  }

  @Test("A byte order mark before a configuration, and a quoted name like null, are read as people mean them")
  func marked() throws {
    let text = "\u{FEFF}project: p\nenvironments:\n  a: { database: 'null' }\n"
    #expect(
      try parse(text).environments.first { $0.name == "a" }?.database
        == DatabaseName(project: "p", database: "null")
    )
  }

  @Test("A name that no command could choose is none of an environment", arguments: ["", "mirror:x"])
  func names(_ name: String) {
    let place = "line 2, column 16: '\(name)' cannot name an environment"
    let text = "project: p\nenvironments: {'\(name)': {}}\n"
    #expect(cause(text).hasPrefix(place), "\(cause(text))")
  }

  @Test("A name is that of its bytes; two that differ only in how accents are composed are refused.")
  func composition() throws {
    let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
    for (first, second) in [(composed, decomposed), (decomposed, composed)] {
      let one = "project: p\nenvironments:\n  \"\(first)\": {}\n"
      #expect(cause(one + "  \"\(second)\": {}\n").hasPrefix("line 4, column 3: '\(second)' is there twice"))
      #expect(try parse(one).environment(named: first).name.isIdentical(to: first))
      #expect(throws: Failure.self) { _ = try parse(one).environment(named: second) }
    }
  }

  @Test("Gates name environments, each the one before it, and never lead back")
  func promotions() throws {
    let environments = "a: {database: a}, b: {database: b}, c: {database: c}, same: {database: b}"
    let text = "project: p\nenvironments: {\(environments)}\npromote:\n"
    let promotions = try parse(text + "  b: {after: a}\n  c: {after: b, verified: true}\n").promotions
    #expect(promotions.map(\.environment) == ["b", "c"] && promotions.map(\.after) == ["a", "b"])
    #expect(promotions.map(\.mustBeVerified) == [false, true])
    let rehearsed = try parse(text + "  b: {rehearsed: 7d}\n").promotions
    #expect(rehearsed.map(\.rehearsed) == [.seconds(604_800)] && rehearsed.map(\.after) == [nil])
    for (line, place) in [
      ("  d: {after: a}", "line 4, column 3: there is no environment 'd'"),
      ("  b: {after: d}", "line 4, column 14: there is no environment 'd'"),
      ("  b: {verified: true}", "line 4, column 6: 'after' is missing"),
      ("  b: {after: b}", "line 4, column 6: 'b' waits for itself"),
      ("  b: {after: c}\n  c: {after: b}", "line 5, column 6: 'c' waits for itself"),
      ("  b: {after: same}", "line 4, column 6: 'b' waits for itself, by way of 'same'"),
      ("  b: {after: c}\n  c: {after: same}", "line 5, column 6: 'c' waits for itself"),
      ("  b: {after: a, rehearsal: 7d}", "line 4, column 17: 'b' has no 'rehearsal'"),
      ("  b: {rehearsed: soon}", "line 4, column 18: 'soon' is no time"),
    ] {
      #expect(cause(text + line).hasPrefix(place), "\(cause(text + line))")
    }
  }

  @Test("An undefined environment is an error that lists the defined ones")
  func unknownEnvironment() {
    #expect {
      try Configuration.builtIn(GymSchema.configuration, schemas: ["gym"]).environment(named: "production")
    } throws: {
      ($0 as? Failure)?.cause == "it is not one of test, stage, prod, legacy, local"
    }
  }

  // Lines and columns counted by hand, from 1.
  @Test(
    "What is wrong is told with its line and column",
    arguments: [
      ("project: p\nenvironment:\n  a: {}\n", "line 2, column 1: "),
      ("project: p\nenvironments:\n  a:\n    databse: x\n", "line 4, column 5: "),
      ("project: p\nenvironments:\n  a: { protected: maybe }\n", "line 3, column 19: "),
      ("project: p\nenvironments:\n  a: { endpoint: \"localhost:8080\" }\n", "line 3, column 18: "),
      ("project: p\nenvironments:\n  a: 7\n", "line 3, column 6: "),
      ("project: p\nenvironments: [a]\n", "line 2, column 15: "),
      ("project: p\nenvironments:\n  a: { database: [x] }\n", "line 3, column 18: "),
      ("project: p\nenvironments:\n  a: { database: }\n", "line 3, column "),
      ("project: p\nenvironments:\n  a: { database: null }\n", "line 3, column 18: "),
      ("project: ~\nenvironments:\n  a: {}\n", "line 1, column 10: "),
      ("project: p\nenvironments:\n  a: { storageBucket: NULL }\n", "line 3, column 23: "),
      ("environments:\n  a: { database: x }\n", "line 2, column 3: "),
      ("project: p\nenvironments:\n  a: { database: 'x\n", "line "),
      ("project: p\nenvironments:\n\ta: {}\n", "line 3, column 1: "),
      ("project: p\nproject: q\nenvironments:\n  a: {}\n", "line "),
      ("project: p\nenvironments:\n  a: {}\n  a: {}\n", "line "),
      ("- a\n", "line 1, column 1: "), ("project: p\n", "line 1, column 1: "),
    ]
  )
  func places(text: String, place: String) {
    let cause = cause(text)
    #expect(cause.hasPrefix(place), "\(cause)")
  }

  @Test("An empty file is reported as such")
  func empty() {
    #expect(cause("") == "it is empty")
    #expect(cause("# nothing\n") == "it is empty")
  }

  @Test(
    "Endpoints are scheme, host and port",
    arguments: [
      ("https://firestore.googleapis.com", true), ("http://127.0.0.1:8080/", true), ("http://[::1]:9", true),
      ("http://host_a-b.c:65535", true), ("http://[::1]", true), ("firestore.googleapis.com", false),
      ("", false),
      ("http://", false), ("http:///", false), ("https://h/v1", false), ("https://u:p@h", false),
      ("https://h?x", false),
      ("https://h#x", false), ("https://h:", false), ("https://h:0", false), ("https://h:65536", false),
      ("https://h:8a", false), ("https://h h", false), ("https://:80", false), ("http://[::1]x", false),
      ("http://[::1", false), ("ftp://h", false), ("https://h\\@evil", false), ("https://h\r\nX: y", false),
      ("https://h:1:2", false),
    ]
  )
  func endpoints(text: String, isGood: Bool) {
    let checked = try? Configuration.checkedEndpoint(text)
    #expect((checked != nil) == isGood)
    #expect(checked?.hasSuffix("/") != true)
  }

  @Test("The real service is recognized by its name, in any case, and has the ramp")
  func realService() {
    func isReal(_ name: String, _ endpoint: String?) -> Bool {
      DatabaseEnvironment(name: name, database: DatabaseName(project: "p"), endpoint: endpoint).isRealService
    }
    #expect(isReal("prod", nil))
    #expect(isReal("prod", "https://firestore.us.rep.googleapis.com"))
    #expect(isReal("prod", "https://Firestore.GoogleAPIs.com"))
    #expect(!isReal("prod", "http://localhost:8080"))
    #expect(!isReal("local", nil))
    #expect(isReal("local", "https://firestore.googleapis.com"))
  }

  @Test("Aliases work, and nested aliases are refused immediately")
  func aliases() throws {
    let few = "project: &p x\nenvironments:\n  a: { project: *p, database: *p }\n"
    let configuration = try Configuration(parsing: few, file: "f")
    #expect(try configuration.environment(named: "a").database == DatabaseName(project: "x", database: "x"))

    // 2^60 nodes as a key, which a map has to hash.
    var bomb = "a0: &a0 [x, x]\n"
    for level in 1...60 { bomb += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    bomb += "? *a60\n: x\n"
    #expect {
      try Configuration(parsing: bomb, file: "f")
    } throws: { error in
      (error as? Failure)?.kind == .configuration && "\(error)".contains("aliases")
    }
  }
}
