import Models

// What stands beside a migration's file, and is wanted to read one.

/// The migrations of gymmigrate's own, whose ids a file may not take.
enum MigrationCatalogue {
  static let all: [any Migration] = []
}
