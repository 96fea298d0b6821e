import FirestoreModels

/// What stops the import of several files, collected so that people hear of all of it at once.
struct SourceFailures {
  private var failures: [Failure] = []

  /// Runs what concerns one file, and keeps the failures that are due to the file or to its options.
  ///
  /// - Parameter advice: What may help whatever is wrong with the file, as a sentence.
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

  /// Keeps a failure that is due to a file or to its options, and throws any other.
  mutating func add(_ failure: Failure) throws(Failure) {
    guard failure.kind == .inputMalformed || failure.kind == .usage else { throw failure }
    failures.append(failure)
  }

  var isEmpty: Bool { failures.isEmpty }

  /// Throws the first, with the others.
  func conclude() throws(Failure) {
    guard var first = failures.first else { return }
    first.others = Array(failures.dropFirst())
    throw first
  }
}
