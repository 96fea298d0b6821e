import Mirror

enum MirrorText {
  /// The result of a pull.
  static func pulled(_ report: MirrorPull.Report, _ path: String) -> TerminalText {
    let moment = report.readTime.map { " as of \($0)" } ?? ""
    let verb = report.isNew ? "made" : "up to date"
    var line =
      "\(path): \(verb)\(moment); \(NumberText.counted(report.read, "document")) read, \(NumberText.grouped(report.changed)) written, \(NumberText.grouped(report.deleted)) removed"
    if report.names > 0 { line += "; \(NumberText.counted(report.names, "name")) read" }
    if report.counted > 0 { line += "; \(NumberText.counted(report.counted, "document")) counted" }
    return "\(line)\n"
  }

  /// A mirror and its collections.
  static func status(_ status: MirrorStatus, _ path: String) -> TerminalText {
    var lines: [TerminalText] = [
      "\(path): a mirror of \(status.info.environment) (\(status.info.database.description))",
      "shows \(status.info.readTime?.description ?? "no single moment"), pulled \(status.info.pulledAt.description)",
    ]
    if status.edits > 0 {
      lines.append("\(status.edits) edited documents are not pushed: see 'gymmigrate mirror push -n'")
    }
    lines += status.damages.map {
      "\($0), so edits in it are not known: 'gymmigrate mirror pull --discard-edits' recreates it"
    }
    if !status.addedColumns.isEmpty {
      lines.append(
        "no fields are \(status.addedColumns.joined(separator: ", ")): no push writes these columns"
      )
    }
    let heading = ["collection", "table", "mirror", "service", "since", "to read"]
    let rows = status.collections.map { collection in
      [
        collection.path.string, collection.table, NumberText.grouped(collection.documents),
        collection.counted.map(NumberText.grouped) ?? "-", collection.mark?.description ?? "whole",
        NumberText.grouped((collection.toRead ?? collection.documents) + collection.names),
      ]
    }
    lines += TerminalText.aligned([heading] + rows, numbers: [2, 3, 5])
    if status.collections.contains(where: { $0.counted != nil }) {
      lines.append("A pull reads about \(NumberText.counted(status.reads, "document")).")
    }
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// The result of a verification.
  static func verification(_ found: MirrorVerification) -> TerminalText {
    let heading = ["collection", "mirror", "service", "same", "share"]
    let rows = found.collections.map { collection in
      [
        collection.path.string, NumberText.grouped(collection.mirrored),
        NumberText.grouped(collection.served), NumberText.grouped(collection.same),
        percent(collection.share),
      ]
    }
    var lines = TerminalText.aligned([heading] + rows, numbers: [1, 2, 3, 4])
    lines.append(
      found.suffices
        ? "At least 99.9 % of every collection are the same."
        : "Less than 99.9 % of a collection are the same."
    )
    return "\(lines.joined(separator: "\n"))\n"
  }

  /// A share with two decimals, rounded down, so that only a complete match is 100.00 %.
  private static func percent(_ share: Double) -> String {
    let hundredths = Int(share * 10_000)
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) %"
  }

  // MARK: JSON

  static func json(_ status: MirrorStatus) -> [UInt8] {
    JSONWriter.object { json in
      json.member("addedColumns", strings: status.addedColumns)
      json.member("collections", objects: status.collections) { json, collection in
        json.member("collection", collection.path.string)
        json.member("documents", collection.documents)
        json.member("mark", collection.mark)
        json.member("names", collection.names)
        json.member("service", collection.counted)
        json.member("table", collection.table)
        json.member("toRead", collection.toRead)
      }
      json.member("damages", strings: status.damages)
      json.member("database", status.info.database.description)
      json.member("edits", status.edits)
      json.member("environment", status.info.environment)
      json.member("pulledAt", status.info.pulledAt)
      json.member("readTime", status.info.readTime)
      json.member("reads", status.reads)
    }
  }

  static func json(_ found: MirrorVerification) -> [UInt8] {
    JSONWriter.object { json in
      json.member("collections", objects: found.collections) { json, collection in
        json.member("collection", collection.path.string)
        json.member("mirror", collection.mirrored)
        json.member("mirrorSha256", collection.mirroredSHA256)
        json.member("same", collection.same)
        json.member("service", collection.served)
        json.member("serviceSha256", collection.servedSHA256)
        json.member("share", collection.share)
        json.member("suffices", collection.suffices)
      }
      json.member("readTime", found.readTime)
      json.member("suffices", found.suffices)
    }
  }
}
