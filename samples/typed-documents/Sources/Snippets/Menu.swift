import Foundation

/// The type of the page's menus, which it leaves to the reader.
struct Menu: Codable, Identifiable, Sendable {
  var id: UUID
  var name: String
  var price: Double
}
