import FirestoreModels
import GymModels
import Schema

extension DatabaseSchema {
  /// Refuses a command that is about the gym's own collections where the data are not the gym's.
  ///
  /// - Throws: `.usage`.
  func assertGym(_ command: String) throws(Failure) {
    if name.isIdentical(to: GymSchema.name) { return }
    throw Failure(
      .usage,
      "run \(command)",
      path: name,
      cause: "it is about the gym's collections, and this schema is not the gym's",
      remedy: "Give --schema \(GymSchema.name) if the data are."
    )
  }
}
