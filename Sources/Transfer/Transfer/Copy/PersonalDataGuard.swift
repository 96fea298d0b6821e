import Configuration
import Schema

/// Keeps personal data in a protected environment unless the user allows it to leave.
struct PersonalDataGuard: Sendable {
  private let environment: DatabaseEnvironment
  private let schema: DatabaseSchema
  private let isOff: Bool

  init(of environment: DatabaseEnvironment, schema: DatabaseSchema, isOff: Bool) {
    self.environment = environment
    self.schema = schema
    self.isOff = isOff || !environment.isProtected
  }

  /// Checks that a collection may be copied.
  ///
  /// - Throws: `.notPermitted`.
  func assertFree(_ collection: CollectionPath) throws(Failure) {
    guard !isOff, let reason = schema.withholding(of: collection) else { return }
    throw Failure(
      .notPermitted,
      "copy",
      path: collection.pattern.string,
      cause: "\(environment.name) is protected, and this collection is held back: \(reason)",
      remedy: (schema.hint(of: collection).map { "\($0) " } ?? "")
        + "Name other collections (--catalogues are free), or give --keep-personal-data if these people's data may leave \(environment.name)."
    )
  }
}
