import FirestoreModels

/// The failures of several files in an import, collected so that all of them are reported at once.
struct SourceFailures {
  private var failures: [Failure] = []

  /// Runs `body`, which concerns one file, and keeps failures that are due to the file or to its options.
  ///
  /// - Parameter advice: A sentence on what may help, whatever is wrong with the file.
  mutating func collect(
    advising advice: String? = nil,
    _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    do throws(Failure) {
      try body()
    } catch {
      var failure = error
      if let advice { failure.remedy = "\(advice)\(error.remedy.map { " \($0)" } ?? "")" }
      try add(failure)
    }
  }

  /// Keeps a failure that is due to a file or to its options, and throws any other one.
  mutating func add(_ failure: Failure) throws(Failure) {
    guard failure.kind == .inputMalformed || failure.kind == .usage else { throw failure }
    failures.append(failure)
  }

  var isEmpty: Bool { failures.isEmpty }

  /// Throws the first failure, with the others attached; returns if there are none.
  func conclude() throws(Failure) {
    guard var first = failures.first else { return }
    first.others = Array(failures.dropFirst())
    throw first
  }
}
