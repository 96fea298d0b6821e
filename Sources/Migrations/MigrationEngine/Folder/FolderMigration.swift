package import Configuration
import Files
package import Schema

/// The header of a migration's file, which defines its place among others.
package struct MigrationHeader: Sendable, Equatable {
  /// The migrations, by name or ID, that must be applied first.
  package var after: [String] = []
  /// The only environments that it applies to; empty for all.
  package var environments: [String] = []
  /// Why it cannot be undone; nil if it can.
  package var irreversible: String?

  package init() {}
}

/// A migration in a folder.
package struct FolderMigration: Sendable, Equatable {
  /// The name of its file without the extension, which determines the order.
  package var name: String
  /// The ID in the ledger.
  package var id: String
  /// One sentence.
  package var summary: String
  /// How a ``MigrationChoice`` names it: by its file, or by the ID of a built-in migration.
  package var choice: String
  /// The SHA-256 of its file; nil for a built-in migration.
  package var checksum: String?
  /// The files of the program that it runs, which the checksum also covers.
  package var programs: [String] = []
  package var header = MigrationHeader()

  /// Whether a word names it: its name, its ID or its file, with or without the folder.
  package func isCalled(_ word: String) -> Bool {
    [name, id, choice, FilePaths.name(of: choice)].contains { $0.isIdentical(to: word) }
  }

  /// Whether it applies to a database with some names.
  package func isFor(_ names: DatabaseNames) -> Bool {
    header.environments.isEmpty || header.environments.contains(where: names.contains)
  }
}

/// Migrations ordered by the bytes of their names.
package struct MigrationFolder: Sendable {
  /// The folder; nil for the built-in migrations.
  package var path: String?
  package var migrations: [FolderMigration]

  /// Creates a folder of the built-in migrations, in their order.
  package init(comingAlong migrations: [any Migration]) {
    self.migrations = migrations.enumerated().map { index, migration in
      FolderMigration(
        name: "\(index < 9 ? "0" : "")\(index + 1)-\(migration.id)",
        id: migration.id,
        summary: migration.summary,
        choice: migration.id
      )
    }
  }

  /// Reads a folder: every `.yaml` and `.yml` file that is not hidden.
  ///
  /// - Parameters:
  ///   - context: Resolves `ref(…)` and `ts(DATE)`.
  ///   - known: The built-in migrations, which files may refer to (`uses: ID`).
  ///   - environments: The names that `environments:` may list.
  /// - Throws: `.inputMalformed` with the line and column of the error; also if a name or an ID means two migrations, or if a file
  ///   precedes a migration that it must follow.
  package init(
    _ path: String,
    in context: LiteralContext,
    known: [any Migration],
    schema: DatabaseSchema,
    environments: [String]
  ) throws(Failure) {
    self.path = path
    migrations = []
    let files = FilePaths.names(in: path).filter { MigrationFile.isFile($0) && !$0.hasPrefix(".") }
    // The extension is not part of the name: 'a.yaml' comes before 'a-b.yaml'.
    let named = files.map { (name: FileName($0).stem, file: $0) }
    for (name, file) in named.sorted(by: { $0.name.compareUTF8($1.name) < 0 }) {
      let migration = try MigrationFile.folderMigration(
        "\(path)/\(file)",
        named: name,
        in: context,
        known: known,
        schema: schema
      )
      try assertPlace(of: migration, at: "\(path)/\(file)", known: known.map(\.id), environments)
      migrations.append(migration)
    }
  }

  /// Refuses a migration that is inconsistent with those before it.
  private func assertPlace(
    of migration: FolderMigration,
    at file: String,
    known: [String],
    _ environments: [String]
  ) throws(Failure) {
    func refusal(_ cause: String, _ remedy: String) -> Failure {
      Failure(.inputMalformed, MigrationFile.operation, path: file, cause: cause, remedy: remedy)
    }
    for word in [migration.id, migration.name, FilePaths.name(of: file)] {
      if let other = migrations.first(where: { $0.isCalled(word) }) {
        throw refusal(
          "\(other.name), before it, is called '\(word)', too",
          "Give one of them a name and an id of its own."
        )
      }
      if !word.isIdentical(to: migration.id), known.contains(where: { $0.isIdentical(to: word) }) {
        throw refusal("the migration '\(word)' comes along, and the file has its name", "Rename the file.")
      }
    }
    for word in migration.header.after where !migrations.contains(where: { $0.isCalled(word) }) {
      throw refusal(
        "it comes after '\(word)', and no file before it is called that",
        "Order is that of the names of the files: rename one of them, or correct 'after'."
      )
    }
    let known = environments.joined(separator: ", ")
    for name in migration.header.environments
    where !environments.contains(where: { $0.isIdentical(to: name) }) {
      throw refusal("there is no environment '\(name)'", "Name one of these: \(known).")
    }
  }

  /// Returns the migration that a word names.
  ///
  /// - Throws: `.usage` if there is none.
  package func migration(called word: String) throws(Failure) -> FolderMigration {
    if let found = migrations.first(where: { $0.isCalled(word) }) { return found }
    func refusal(_ cause: String, _ remedy: String) -> Failure {
      Failure(.usage, "find the migration", path: word, cause: cause, remedy: remedy)
    }
    let names = migrations.map(\.name)
    if FileCheck.isFolder(word) {
      throw refusal("it is a folder", "'migrations:' in gymmigrate.yaml names the folder of migrations.")
    }
    let place = path ?? "the migrations that come along"
    if MigrationFile.isFile(word), FileCheck.exists(word) {
      throw refusal(
        "it is a file, and this command takes the migrations of a folder by their names: of \(place)",
        "Put it there and give its name, or take 'migrate plan', 'apply' and 'verify', which take files."
      )
    }
    let near = word.meant(of: names + migrations.map(\.id)).map { "Did you mean \($0)? " } ?? ""
    throw refusal("there is none of that name in \(place)", "\(near)'gymmigrate migrate pending' lists them.")
  }

  /// Returns the migrations up to and including one, in order; all if nil.
  ///
  /// - Throws: As ``migration(called:)``.
  package func migrations(upTo word: String?) throws(Failure) -> [FolderMigration] {
    guard let word else { return migrations }
    let last = try migration(called: word)
    let end = migrations.firstIndex(of: last).map { $0 + 1 } ?? 0
    return Array(migrations[..<end])
  }
}
