import FirestoreModels

/// What an account may do in the apps, as `users.role` has it.
package enum UserRole: String, Sendable, CaseIterable {
  case admin, receptionist, trainer, member, guest, visitor
  /// Deprecated: an older name of an admin.
  case owner
  /// Deprecated: an older name of those who work at the gym.
  case staff

  /// The role that a text names, to the byte; nil where it names none.
  package init?(exactly text: String) {
    guard let role = Self.allCases.first(where: { $0.rawValue.isIdentical(to: text) }) else { return nil }
    self = role
  }

  /// Whether new documents no longer have it.
  package var isDeprecated: Bool { self == .owner || self == .staff }
}
