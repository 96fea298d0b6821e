/// `gymmigrate env init`: writes a configuration to start from.
struct EnvInit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Write a commented gymmigrate.yaml as a starting point.",
    discussion: """
      The file explains every key. It holds three environments of a project of your own, without a schema; with the \
      option of an application that comes along, its environments and its schema. An existing file is never \
      overwritten (73).

        gymmigrate env init
        gymmigrate env init shop.yaml
      """
  )

  @Argument(help: "The file to write.")
  var file = "gymmigrate.yaml"

  // The default, accepted for scripts that give it.
  @Flag(help: .hidden("For any project, as without it."))
  var plain = false

  @OptionGroup var application: RegisteredApplication.ConfigurationOptions

  @Flag(help: "Print JSON instead of lines.") var json = false

  func validate() throws {
    if plain, application.isChosen {
      throw ValidationError("--plain is the configuration of no application.")
    }
  }

  func run() async throws {
    try Self.assertFree(file)
    let text = application.isChosen ? RegisteredApplication.sampleConfiguration : Self.plainText
    try OutputFile.write(Array(text.utf8), to: file)
    Terminal.standardError.line("Wrote \(file). 'gymmigrate env list' shows how it is resolved.")
    guard json else { return }
    try StandardOutput.writeObject {
      $0.member("command", "env init")
      $0.member("file", file)
    }
  }

  /// - Throws: `.cannotWrite` if the file exists.
  static func assertFree(
    _ file: String,
    remedy: String = "Move it away, or name another file."
  ) throws(Failure) {
    guard FileCheck.isTaken(file) else { return }
    throw Failure.cannotWrite(file, "it exists", remedy: remedy)
  }

  /// A configuration for any project.
  static let plainText = """
    # The environments of gymmigrate. Every key is explained in docs/environments.md; an unknown one is an error with its
    # line and column.

    # The Google Cloud project of every environment that names none.
    project: my-project

    # What the collections are (docs/schema.md). 'gymmigrate schema infer -e dev -o schema.yaml' makes one from the data;
    # then write schema: schema.yaml here.
    schema: none

    # What operations cost, in US dollars for 100,000 documents, for the costs that a plan and a copy show. Without it,
    # the list prices of the multi-region nam5 hold.
    # prices: { reads: 0.06, writes: 0.18, deletes: 0.02 }

    environments:
      dev:
        database: (default)
        # An emulator: over plain HTTP no credentials are sent unless they are named.
        endpoint: http://127.0.0.1:8080

      stage:
        database: (default)
        project: my-project-stage

      prod:
        database: (default)
        # A write needs --confirm prod, or the name typed on a terminal.
        protected: true
        # The credentials, for this environment alone. Relative to this file. Never commit a key.
        # credentials: keys/prod.json
        # Or sign as a service account by means of one's own login; docs/credentials.md says which role that takes.
        # impersonate: exporter@my-project.iam.gserviceaccount.com

    # `local`, the embedded store, is always there and needs no entry.

    """
}
