import Models
import Testing
import Transfer

@Suite("The guard of databases that no environment names")
struct DatabaseGuardTests {
  private func custom(_ database: String, _ endpoint: String? = nil, project: String = "p") -> Environment {
    Environment(
      name: "custom",
      database: DatabaseName(project: project, database: database),
      endpoint: endpoint
    )
  }

  private func configuration(_ environments: Environment...) -> Configuration {
    Configuration(environments: environments)
  }

  @Test(
    "Ids that say production",
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

  @Test("One that no environment names is protected under its full name.")
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

  @Test("One that an environment names is guarded as that says, wherever its service is.")
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

  @Test("An environment of an emulator says nothing of the real database of the same name.")
  func emulatorNames() {
    let known = configuration(custom("prod", "http://127.0.0.1:8080"))
    #expect(known.guarded(custom("prod"), isEmulator: false).isProtectedByName)
  }

  @Test("A protected environment on this machine is guarded all the same.")
  func protectedHere() {
    var here = custom("prod", "http://127.0.0.1:8080")
    here.isProtected = true
    here.name = "prod"
    let reached = custom("prod", "http://localhost:8080")
    #expect(configuration(here).guarded(reached, isEmulator: true).name == "prod")
  }

  @Test("The embedded store needs no confirmation, whatever database it is asked for.")
  func embedded() {
    var local = custom("prod")
    local.name = Environment.localName
    #expect(Configuration.builtIn.guarded(local, isEmulator: false) == local)
  }

  @Test("Without a file: prod is protected, legacy is named, and other projects' are not known.")
  func builtIn() {
    let known = Configuration.builtIn
    #expect(known.guarded(custom("prod", project: "sajarubox"), isEmulator: false).name == "prod")
    #expect(!known.guarded(custom("(default)", project: "sajarubox"), isEmulator: false).isProtected)
    #expect(known.guarded(custom("(default)"), isEmulator: false).isProtectedByName)
  }
}
