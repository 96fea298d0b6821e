import ArgumentParser
import Files
import FirestoreModels
import Runs

/// `gymmigrate env init`: a configuration to begin with.
struct EnvInit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a commented gymmigrate.yaml as a starting point.",
    discussion: """
      The file holds the built-in environments, with every key explained. An existing file is never overwritten (73).

        gymmigrate env init
      """
  )

  @Argument(help: "The file to write.")
  var file = "gymmigrate.yaml"

  @Flag(help: "Print a JSON object on standard output.") var json = false

  func run() async throws {
    if FileCheck.isTaken(file) {
      throw Failure(
        .cannotWrite,
        "write",
        path: file,
        cause: "it exists",
        remedy: "Move it away, or name another file."
      )
    }
    var output = try OutputFile(file)
    try output.write(Self.sample)
    _ = try output.finish()
    Terminal.standardError.line("Wrote \(file). 'gymmigrate env list' shows how it is resolved.")
    guard json else { return }
    var json = JSONWriter()
    json.object {
      $0.key("command")
      $0.string("env init")
      $0.key("file")
      $0.string(file)
    }
    try StandardOutput.write(json: json.bytes + [UInt8(ascii: "\n")])
  }

  /// The text of samples/gymmigrate.yaml.
  static let sample = """
    # The environments of gymmigrate. Copy this file to where you work, or name it with --config.
    # Every key is explained in docs/environments.md; an unknown one is an error with its line and column.

    # The Google Cloud project of every environment that names none.
    project: sajarubox

    # What operations cost, in US dollars for 100,000 documents, for the costs that a plan and a copy tell. Without it,
    # the list prices of the multi-region nam5 hold.
    # prices: { reads: 0.06, writes: 0.18, deletes: 0.02 }

    environments:
      # The shortest one: a database of the project above, on the real service.
      test: { database: test }

      stage:
        database: stage

      prod:
        database: prod
        # A write wants --confirm prod, or the name typed on a terminal.
        protected: true
        # Who signs, for this environment alone. Relative to this file. Never commit a key.
        # credentials: keys/prod.json

      # The database that every project begins with is called (default).
      legacy:
        database: (default)

      # An emulator, or `gymmigrate serve`, on this machine. Over plain HTTP no credentials are sent unless they are named.
      emulator:
        project: demo-gym
        database: (default)
        endpoint: http://127.0.0.1:8080

    # `local`, the embedded store, is always there and needs no entry.

    """
}
