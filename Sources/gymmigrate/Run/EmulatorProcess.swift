import Platform

/// Google's Firestore emulator, started for one piece of work and ended with it.
enum EmulatorProcess {
  /// The environment variable that names the program.
  private static let variable = "GYMMIGRATE_EMULATOR"
  private static let name = "cloud_firestore_emulator"
  /// Its place in a folder of the Cloud SDK.
  private static let placeInSDK = "platform/cloud-firestore-emulator/\(name)"
  /// The environment variables that it needs.
  private static let variables: Set<String> = ["PATH", "HOME", "JAVA", "JAVA_HOME", "TMPDIR"]
  /// The seconds that Java may take to start, even on a busy machine.
  private static let startTime = 120.0

  /// Starts the emulator, reports once it listens, and ends it when the other end of the pipe is closed: at the end of the work,
  /// or when this process is killed.
  private static let script = """
    "$0" start --host=127.0.0.1 --port="$1" >"$2" 2>&1 </dev/null &
    until grep -qs 'is now running' "$2"; do kill -0 $! || exit 1; sleep 0.1; done
    echo
    while read -r line; do :; done
    kill 0
    """

  /// Runs `body` with the address of an empty emulator.
  ///
  /// - Parameter folder: The folder for its log.
  /// - Throws: `.inputMissing` if it is not installed; `.unavailable` if it does not start.
  static func withEmulator<Result>(
    in folder: String,
    _ body: (_ endpoint: String) async throws -> Result
  ) async throws -> Result {
    let program = try program()
    guard let port = LoopbackSocket.freePort() else {
      throw Failure(.unavailable, "start the emulator", cause: SystemCall.text(errno))
    }
    let log = "\(folder)/emulator.log"
    let words = ["sh", "-c", script, program, "\(port)", log]
    let environment = Invocation.current.variables.filter { variables.contains($0.key) }
    let process = try await BackgroundThread.run { isCancelled in
      Swift.Result { () throws(LineProgram.Problem) in try start(words, environment, isCancelled) }
    }.mapError { failure($0, program, log) }.get()
    defer { process.stop(grace: 5) }
    return try await body("http://127.0.0.1:\(port)")
  }

  private static func start(
    _ words: [String],
    _ environment: [String: String],
    _ isCancelled: () -> Bool
  ) throws(LineProgram.Problem) -> LineProgram {
    let process = try LineProgram(
      words,
      environment: environment,
      log: nil,
      limits: LineProgram.Limits(timeout: startTime)
    )
    var answers: [[UInt8]] = []
    do throws(LineProgram.Problem) {
      try process.ask(1, isCancelled: isCancelled, line: { _ in [] }, taken: { $0 }, answers: &answers)
    } catch {
      process.stop()
      throw error
    }
    return process
  }

  private static func failure(_ problem: LineProgram.Problem, _ program: String, _ log: String) -> any Error {
    if problem == .cancelled { return CancellationError() }
    let said = String(decoding: (try? FileHead(log))?.bytes ?? [], as: UTF8.self).split(separator: "\n").last
    let cause =
      problem == .timedOut
      ? "it does not listen after \(Int(startTime)) seconds" : "it ended: \(said ?? "without a word")"
    return Failure(
      .unavailable,
      "start the emulator",
      path: program,
      cause: cause,
      remedy: "Try it by itself: \(program) start. Without --on emulator the embedded store is used."
    )
  }

  // MARK: The program

  private static func program() throws(Failure) -> String {
    let variables = Invocation.current.variables
    let places = (variables["PATH"] ?? "").split(separator: ":").map(String.init)
    let found =
      variables[variable].map { [$0] }
      ?? places.map { sdk(of: FilePaths.resolved("\($0)/gcloud")) + placeInSDK }
      + places.map { "\($0)/\(name)" }
    if let program = found.first(where: { FileCheck.exists($0) }) { return program }
    throw Failure(
      .inputMissing,
      "start the emulator",
      path: variables[variable],
      cause: variables[variable] == nil ? "it is not installed" : "there is no such file",
      remedy:
        "Install google-cloud-cli-firestore-emulator, or 'gcloud components install cloud-firestore-emulator'; \(variable) names the program elsewhere."
    )
  }

  /// The SDK's folder, which contains `bin/gcloud`, with a slash.
  private static func sdk(of gcloud: String) -> String {
    gcloud.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).map { $0 + "/" }.joined()
  }
}
