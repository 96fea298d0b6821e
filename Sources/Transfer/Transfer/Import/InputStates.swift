import Runs

/// What identifies the contents of the files of an import, which is read more than once.
///
/// Without it, a file that is saved again between the check and the writing would be written unchecked.
struct InputStates: Sendable {
  private let states: [RunRecord.Input]

  /// Records the files as they are now; objects in buckets have generations, and what can be read only once is copied.
  init(of sources: [ImportSource]) {
    states = sources.filter { !$0.isStream }.flatMap(\.files).map { RunRecord.Input($0, digest: nil) }
  }

  /// Checks that the files are still the same.
  ///
  /// - Throws: `.inputMalformed` with the first one that is not.
  func assertUnchanged() throws(Failure) {
    for state in states where RunRecord.Input(state.path, digest: nil) != state {
      throw .malformed(
        state.path,
        "it has changed while it was read",
        remedy: "Give the import a copy that nobody saves again meanwhile."
      )
    }
  }
}
