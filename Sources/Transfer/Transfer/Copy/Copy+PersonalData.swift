import Configuration
import Schema

extension Copy {
  /// Checks that a collection may be copied: keeps personal data in a protected environment unless the user allows it to
  /// leave.
  ///
  /// - Throws: `.notPermitted`.
  func assertFree(_ collection: CollectionPath) throws(Failure) {
    if options.job.keepsPersonalData || options.mask != nil || !source.environment.isProtected { return }
    guard let reason = context.schema.withholding(of: collection) else { return }
    let environment = source.environment.name
    throw Failure(
      .notPermitted,
      "copy",
      path: collection.pattern.string,
      cause: "\(environment) is protected, and this collection is held back: \(reason)",
      remedy: (context.schema.hint(of: collection).map { "\($0) " } ?? "")
        + "Name other collections (--catalogues are free), or give --keep-personal-data if these people's data may leave \(environment)."
    )
  }
}
