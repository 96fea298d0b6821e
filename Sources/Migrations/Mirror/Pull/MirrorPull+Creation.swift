import Files
import FirestoreREST
import GRDB
import Platform
import Runs

extension MirrorPull {
  /// Creates a new mirror beside its final name, and renames it when it is complete.
  func create() async throws -> Report {
    let target = FilePaths.resolved(path)
    FilePaths.removeAbandoned(beside: target)
    let (temporary, descriptor) = try FilePaths.createTemporary(beside: target, reporting: path)
    close(descriptor)
    do {
      let report = try await fill(temporary)
      try Self.synchronize(temporary, path)
      guard rename(temporary, target) == 0 else { throw Failure.cannotWrite(path, errno: errno) }
      SystemCall.synchronizeFolder(FilePaths.folder(of: target))
      return report
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private func fill(_ temporary: String) async throws -> Report {
    let file = try MirrorFile(temporary, for: .creation)
    // Before any request, so that the file is locked and nobody mistakes it for an abandoned one.
    try file.use { db in
      try DocumentTable.create(db)
      try db.execute(sql: MirrorTables.creation)
    }
    var report = Report(isNew: true)
    let moment = try await pin()
    report.readTime = moment
    let roots = try await roots(at: moment)
    try options.mask?.assertCovers(roots)
    let layout = MirrorLayout(schema.collections)
    var writer = try RowWriter(layout)
    try file.use { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      for table in layout.tables { try MirrorSchema.create(table, layout, db) }
    }
    let created = moment?.microseconds ?? 0
    var json = JSONWriter()
    for root in roots {
      try await forEachPage(of: wholeRead(of: root, at: moment)) { page in
        try file.use { db in
          var table = try DocumentTable(db, client.database, createTime: created)
          for document in page where !document.path.isReserved {
            json.removeAll()
            json.fields(document.fields)
            try table.put(
              document.path,
              createTime: document.createTime?.microseconds ?? 0,
              updateTime: document.updateTime?.microseconds ?? 0,
              fields: json.bytes
            )
            try writer.put(document.path, document.fields, db)
          }
        }
        count(page) { $0.written += $1 }
        report.read += page.count
        report.changed += page.count
      }
    }
    let pulled = Set(roots)
    try file.use { db in
      let table = try DocumentTable(db, client.database, createTime: created)
      let inferred = try MirrorSchema.inferred(beyond: layout, table, &writer)
      let whole = MirrorLayout(schema.collections + inferred)
      var writer = try RowWriter(whole)
      let added = whole.tables.suffix(inferred.count)
      for table in added { try MirrorSchema.create(table, whole, db) }
      try writer.fill(Array(added), table, db)
      for table in whole.tables { try MirrorSchema.finish(table, whole, db) }
      try conclude(db, whole, inferred, table, roots: pulled, moment: moment)
      try db.execute(sql: "COMMIT")
    }
    try file.close()
    return report
  }

  private static func synchronize(_ temporary: String, _ path: String) throws(Failure) {
    let (descriptor, code) = SystemCall.open(temporary, O_RDONLY)
    guard descriptor >= 0 else { throw Failure.cannotWrite(path, errno: code) }
    defer { close(descriptor) }
    let error = SystemCall.synchronize(descriptor)
    if error != 0 { throw Failure.cannotWrite(path, errno: error) }
  }
}
