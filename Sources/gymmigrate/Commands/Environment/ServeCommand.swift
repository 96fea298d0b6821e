import LocalFirestore
import Mirror

/// `gymmigrate serve`: serves the embedded store to other tools.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Run a local Firestore server.",
    discussion: """
      Serves Firestore's REST API on the loopback interface until it is stopped, from the same file as -e local. Other tools find it by FIRESTORE_EMULATOR_HOST.

        gymmigrate serve --port 8080
        FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 gymmigrate count users -e test

      Every user of this machine can reach the port; --token-file keeps the others out. Web pages of other \
      origins are refused, and so are requests whose Host is neither loopback nor --host.
      """
  )

  @Option(help: "The port; 0 chooses a free one.", from: 0, to: 65_535)
  var port = 8080

  @Option(localFile: "The SQLite file (default: local.sqlite in the state folder).")
  var data: String?

  @Flag(help: "Keep the data in memory only.")
  var memory = false

  @Option(
    help:
      "A name, without a port, that clients reach it by beside localhost and 127.0.0.1; may be given again.",
    as: TypedValue.text("name")
  )
  var host: [String] = []

  @Option(
    localFile:
      "Admit only requests with the bearer token in this file, which its owner alone may read (mode 600)."
  )
  var tokenFile: String?

  @OptionGroup var state: StateOptions

  @Flag(help: "Print a JSON object on standard output once it is up: endpoint, emulatorHost, file.")
  var json = false

  func validate() throws {
    if memory, data != nil { throw ValidationError("--memory and --data exclude each other.") }
    if data?.isEmpty ?? false { throw ValidationError("--data: name a file.") }
    for name in host where !LocalFirestoreServer.Access.isHostName(name) {
      throw ValidationError("--host: '\(name)' is not the name or the address of a host, without a port.")
    }
  }

  func run() async throws {
    var access = LocalFirestoreServer.Access(hosts: host)
    if let tokenFile { access.token = try BearerToken(file: tokenFile).revealed }
    let file = memory ? nil : data ?? "\(state.stateDir)/local.sqlite"
    if let file { try Self.assertNoMirror(file) }
    if !memory, data == nil { try RunDirectory.makeDirectory(state.stateDir) }
    try await LocalFirestoreServer.withServer(
      dataFile: file,
      port: UInt16(clamping: port),
      access: access
    ) { server in
      Terminal.standardError.line("Serving \(file ?? "memory") at \(server.endpoint). Stop with Ctrl-C.")
      if let tokenFile { Terminal.standardError.line("Requests need the token in \(tokenFile).") }
      let host = String(server.endpoint.dropFirst("http://".count))
      Terminal.standardError.line(
        "It speaks REST alone: clients that use gRPC by default need their REST transport."
      )
      Terminal.standardError.line("FIRESTORE_EMULATOR_HOST=\(host)")
      if json {
        try StandardOutput.writeObject {
          $0.member("command", "serve")
          $0.member("endpoint", server.endpoint)
          $0.member("emulatorHost", host)
          $0.key("file")
          if let file { $0.string(file) } else { $0.null() }
        }
      }
      await server.runUntilCancelled()
    }
  }

  /// Refuses a mirror, because its documents belong to its database.
  private static func assertNoMirror(_ file: String) throws(Failure) {
    guard FileCheck.exists(file), (try? MirrorInfo(MirrorFile(file, for: .reading))) != nil else { return }
    throw Failure(
      .notPermitted,
      "serve",
      path: file,
      cause: "it is a mirror, which is only read",
      remedy: "Read it with -e mirror:\(file)."
    )
  }
}
