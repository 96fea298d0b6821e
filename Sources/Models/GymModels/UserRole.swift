/// The role of an account in the apps (`users.role`).
package enum UserRole: String, Sendable, CaseIterable {
  case admin, receptionist, trainer, member, guest, visitor
  /// Deprecated name of an admin.
  case owner
  /// Deprecated name of gym employees.
  case staff

  /// The role with exactly this name; nil for others.
  package init?(exactly text: String) {
    guard let role = Self.allCases.first(where: { $0.rawValue.isIdentical(to: text) }) else { return nil }
    self = role
  }

  /// Whether new documents no longer use the role.
  package var isDeprecated: Bool { self == .owner || self == .staff }
}
