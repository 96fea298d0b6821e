import FirestoreModels

/// What stops the import of several files, collected so that people hear of all of it at once.
struct SourceFailures {
  private var failures: [Failure] = []

  /// Runs what concerns one file, and keeps the failures that are due to the file or to its options.
  mutating func collect(_ body: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) {
      try body()
    } catch {
      guard error.kind == .inputMalformed || error.kind == .usage else { throw error }
      failures.append(error)
    }
  }

  /// Throws the first, with what the others say.
  func conclude() throws(Failure) {
    guard var first = failures.first else { return }
    let others = failures.dropFirst().map(\.description).joined(separator: "; ")
    if !others.isEmpty { first.remedy = "\(first.remedy.map { "\($0) " } ?? "")Besides: \(others)" }
    throw first
  }
}
