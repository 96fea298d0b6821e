public import Models

/// The migrations that gymmigrate knows, in the order in which they are applied.
public enum MigrationCatalogue {
  /// What the migrations may be told on the command line.
  public struct Settings: Sendable, Equatable {
    /// `--accept-proposals`, for ``UsersUnify``.
    public var acceptProposals: Bool
    /// `--prune`, for ``UserEmails``.
    public var prune: Bool

    /// Makes settings; nothing doubtful is written and nothing is removed unless asked.
    public init(acceptProposals: Bool = false, prune: Bool = false) {
      self.acceptProposals = acceptProposals
      self.prune = prune
    }
  }

  /// All of them, with the settings that touch least.
  public static var all: [any Migration] { all(settings: Settings()) }

  /// All of them.
  public static func all(settings: Settings) -> [any Migration] {
    [
      UsersUnify(acceptProposals: settings.acceptProposals),
      UserEmails(prune: settings.prune),
      IsActive(),
    ]
  }

  /// The migration of an id.
  ///
  /// - Throws: `Failure` of kind `usage` that names the known ones.
  public static func named(
    _ id: String,
    settings: Settings = Settings()
  ) throws(Failure) -> any Migration {
    let known = all(settings: settings)
    guard let migration = known.first(where: { $0.id.isIdentical(to: id) }) else {
      throw Failure(
        .usage,
        "find the migration",
        path: id,
        cause: "there is none of that name",
        remedy: "Name one of these: \(known.map(\.id).joined(separator: ", "))."
      )
    }
    return migration
  }
}

/// The collections that the migrations of the catalogue read and write.
enum GymCollection {
  static let users = CollectionPath(nil, "users")
  static let userEmails = CollectionPath(nil, "user_emails")
}

/// The fields that are not one migration's own.
enum CommonField {
  static let createdAt = "createdAt"
  static let updatedAt = FieldPath(field: "updatedAt")
}

extension RawDocument {
  /// The change that sets fields and has the service set `updatedAt`.
  func changing(to fields: FieldMap, reasons: [String]) -> Change {
    var after = fields
    after[CommonField.updatedAt] = nil
    return Change(
      path: path,
      before: self,
      after: after,
      serverTimes: [CommonField.updatedAt],
      reasons: reasons
    )
  }

  /// The finding of a value of another type than its field's.
  func wrongType(_ field: UserField, found: Value) -> Finding {
    Finding(
      .reject,
      path: path,
      code: "wrong-type",
      field: field.rawValue,
      found: found,
      message:
        "\(field.rawValue) is \(found.typeName), not \(field.isBoolean ? "boolean" : "string"); the document is left as it is."
    )
  }
}
