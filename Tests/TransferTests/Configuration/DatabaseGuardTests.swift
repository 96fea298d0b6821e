import Configuration
import FirestoreModels
import GymModels
import Testing

@Suite("Protection of databases that no environment defines")
struct DatabaseGuardTests {
  private func custom(
    _ database: String,
    _ endpoint: String? = nil,
    project: String = "p"
  ) -> DatabaseEnvironment {
    DatabaseEnvironment(
      name: "custom",
      database: DatabaseName(project: project, database: database),
      endpoint: endpoint
    )
  }

  private func configuration(_ environments: DatabaseEnvironment...) -> Configuration {
    Configuration(environments: environments)
  }

  @Test(
    "IDs that look like production",
    arguments: [
      ("prod", true), ("production", true), ("live", true), ("(default)", true), ("PROD", true),
      ("Live", true),
      ("prod-eu", true), ("eu-production", true), ("gym-live-2", true), ("pre-prod", true), ("test", false),
      ("stage", false), ("preprod", false), ("products", false), ("reproduction", false), ("alive", false),
      ("default", false), ("prod2", false), ("livestock", false), ("", false),
    ]
  )
  func ids(_ id: String, _ says: Bool) {
    #expect(DatabaseName(project: "p", database: id).isCalledProduction == says)
  }

  @Test("A database that no environment defines is protected under its full name.")
  func unnamed() {
    let known = configuration(custom("test"), custom("prod", project: "other"))
    for endpoint in [
      nil, "https://eur3-firestore.googleapis.com", "http://10.0.0.7:8080", "https://localhost:8443",
    ] {
      let guarded = known.guarded(custom("prod", endpoint), isEmulator: false)
      #expect(guarded.isProtected && guarded.isProtectedByName)
      #expect(guarded.name == "projects/p/databases/prod" && guarded.endpoint == endpoint)
    }
    #expect(known.guarded(custom("test2"), isEmulator: false) == custom("test2"))
  }

  @Test("A database that an environment defines has its protection, wherever its service is.")
  func named() {
    var open = custom("prod")
    open.name = "live"
    #expect(configuration(open).guarded(custom("prod"), isEmulator: false) == custom("prod"))
    let elsewhere = custom("prod", "https://firestore.eu.rep.googleapis.com")
    #expect(configuration(open).guarded(elsewhere, isEmulator: false) == elsewhere)
    let proxied = custom("prod", "https://proxy.example:443")
    #expect(configuration(proxied).guarded(custom("prod"), isEmulator: false) == custom("prod"))
    var closed = open
    closed.isProtected = true
    let guarded = configuration(closed).guarded(custom("prod"), isEmulator: false)
    #expect(guarded.name == "live" && guarded.isProtected && !guarded.isProtectedByName)
  }

  @Test("Emulators, and this machine over plain HTTP, hold no production data.")
  func emulators() {
    let known = configuration(custom("test"))
    for endpoint in [
      "http://127.0.0.1:8080", "http://localhost:8080", "http://LOCALHOST", "http://[::1]:8080",
      "http://127.1:1",
      "http://0.0.0.0:8080",
    ] {
      #expect(
        known.guarded(custom("(default)", endpoint), isEmulator: false) == custom("(default)", endpoint)
      )
    }
    let remote = custom("(default)", "http://firestore:8080")
    #expect(known.guarded(remote, isEmulator: true) == remote)
    #expect(known.guarded(remote, isEmulator: false).isProtected)
    // A name may begin as an address of this machine does.
    #expect(known.guarded(custom("prod", "http://127.example.com:80"), isEmulator: false).isProtected)
  }

  @Test("The environment of an emulator does not affect the real database of the same name.")
  func emulatorNames() {
    let known = configuration(custom("prod", "http://127.0.0.1:8080"))
    #expect(known.guarded(custom("prod"), isEmulator: false).isProtectedByName)
  }

  @Test("A protected environment on this machine is still protected.")
  func protectedHere() {
    var here = custom("prod", "http://127.0.0.1:8080")
    here.isProtected = true
    here.name = "prod"
    let reached = custom("prod", "http://localhost:8080")
    #expect(configuration(here).guarded(reached, isEmulator: true).name == "prod")
  }

  @Test(
    "The database of a protected environment is recognized by project and ID, whatever the endpoint.",
    arguments: [
      "https://firestore.googleapis.com:443", "https://FIRESTORE.GOOGLEAPIS.COM",
      "https://firestore.googleapis.com.", "https://nam5-firestore.googleapis.com", "https://proxy.example",
      "http://10.0.0.7:8080", "https://localhost:8443", "http://tunnel.example:8080",
    ]
  )
  func addresses(_ endpoint: String) {
    var safe = custom("main")
    (safe.isProtected, safe.name) = (true, "prod")
    let known = configuration(safe, custom("test"))
    #expect(known.guarded(custom("main", endpoint), isEmulator: false).name == "prod")
    #expect(known.guarded(custom("main", endpoint), isEmulator: false).isProtected)
    #expect(!known.guarded(custom("main2", endpoint), isEmulator: false).isProtected)
    #expect(!known.guarded(custom("main", endpoint, project: "q"), isEmulator: false).isProtected)
  }

  @Test(
    "A protected environment on this machine is recognized in every spelling; another port is another emulator."
  )
  func spellings() {
    var here = custom("main", "http://127.0.0.1:8080")
    (here.isProtected, here.name) = (true, "prod")
    let known = configuration(here)
    for endpoint in [
      "http://0:8080", "http://[::ffff:127.0.0.1]:8080", "http://[::]:8080", "http://LocalHost.:8080",
      "http://127.1:08080", "http://any-name.example:8080", "http://any-name.example:9000", "https://0:8080",
    ] {
      #expect(known.guarded(custom("main", endpoint), isEmulator: false).isProtected, "\(endpoint)")
    }
    #expect(!known.guarded(custom("main", "http://127.0.0.1:8081"), isEmulator: false).isProtected)
    // The protected one may be spelt by a name that nobody looks up.
    here.endpoint = "http://gym.example:8080"
    let named = configuration(here)
    #expect(named.guarded(custom("main", "http://127.0.0.1:8080"), isEmulator: true).isProtected)
    #expect(!named.guarded(custom("main", "http://127.0.0.1:8081"), isEmulator: true).isProtected)
  }

  @Test("An emulator on this machine has its own data, whatever the protected database is called.")
  func emulatorOfProtected() {
    var safe = custom("main")
    safe.isProtected = true
    let known = configuration(safe)
    #expect(!known.guarded(custom("main", "http://0:8080"), isEmulator: false).isProtected)
    #expect(!known.guarded(custom("main", "http://firestore:8080"), isEmulator: true).isProtected)
  }

  @Test("What any configuration protects is protected, and its file is reported.")
  func union() {
    var (open, closed) = (custom("main"), custom("main", "https://proxy.example"))
    (open.name, closed.name, closed.isProtected) = ("prod", "live", true)
    var (used, other) = (configuration(open), configuration(custom("test"), closed))
    (used.file, other.file) = ("gymmigrate.yaml", "/home/ana/.config/gymmigrate/gymmigrate.yaml")
    #expect(!used.guarded(open, isEmulator: false).isProtected)
    let guarded = used.guarded(open, isEmulator: false, besides: [other])
    #expect(guarded.isProtected && guarded.name == "live" && guarded.protectedBy == other.file)
    // What another configuration leaves open opens nothing.
    closed.isProtected = false
    closed.database = DatabaseName(project: "p", database: "prod")
    let unnamed = used.guarded(custom("prod"), isEmulator: false, besides: [configuration(closed)])
    #expect(unnamed.isProtectedByName)
  }

  @Test("The embedded store needs no confirmation, whatever the database.")
  func embedded() throws {
    var local = custom("prod")
    local.name = DatabaseEnvironment.localName
    #expect(
      try Configuration.builtIn(GymSchema.configuration, schemas: ["gym"]).guarded(local, isEmulator: false)
        == local
    )
  }

  @Test("Without a file, prod and legacy are protected, and other projects are not defined.")
  func builtIn() throws {
    let known = try Configuration.builtIn(GymSchema.configuration, schemas: ["gym"])
    #expect(known.guarded(custom("prod", project: "sajarubox"), isEmulator: false).name == "prod")
    #expect(known.guarded(custom("(default)", project: "sajarubox"), isEmulator: false).name == "legacy")
    #expect(known.environments.filter(\.isProtected).map(\.name) == ["prod", "legacy"])
    #expect(known.guarded(custom("(default)"), isEmulator: false).isProtectedByName)
  }
}
