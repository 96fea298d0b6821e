import Files
import Platform

/// A time zone of the IANA database: its UTC offset at any time.
///
/// It is read once from the system's zone files (TZif, RFC 9636), so that a row costs a binary search and no
/// lock. Times after the last transition follow the POSIX rule of the file.
///
/// Foundation's transitions are not a replacement: Swift 6.3 on Linux takes them from ICU's own data instead of the
/// system's tzdata. Compared with 600 zone files, its offsets differ in 92 zones between 1900 and 2100 (Africa/Accra has 61
/// such transitions) and in 106 before 1900, and it accepts names such as `PST`. `America/Mexico_City` and the other zones
/// in use are the same; reading a table takes 0.5 ms instead of 0.3 ms.
package struct LocalTimeZone: Sendable, Equatable {
  /// The name, such as `America/Mexico_City`.
  package let name: String

  private let zone: TimeZoneFile

  /// Reads a zone by its name; `UTC` needs no file.
  ///
  /// - Throws: ``Failure`` of kind `configuration` if the system has no such zone.
  package init(named name: String) throws(Failure) {
    if name == "UTC" || name == "Z" {
      self.name = "UTC"
      zone = TimeZoneFile()
      return
    }
    // A name is a path below the zone folder and must not leave it.
    let isPlain =
      !name.isEmpty && !name.hasPrefix("/")
      && !name.split(separator: "/").contains { $0 == ".." || $0 == "." }
      && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/_-+".utf8.contains($0) }
    if isPlain {
      for folder in Self.folders {
        guard let bytes = Self.contents(of: "\(folder)/\(name)") else { continue }
        guard let zone = TimeZoneFile(bytes) else {
          throw Failure(
            .configuration,
            "read the time zone",
            path: name,
            cause: "\(folder)/\(name) is not a zone file (TZif)"
          )
        }
        self.name = name
        self.zone = zone
        return
      }
    }
    let folder = Self.folders.first { Self.contents(of: "\($0)/America/Mexico_City") != nil }
    throw Failure(
      .configuration,
      "read the time zone",
      path: name,
      cause: "this system has no such time zone",
      remedy: folder.map { "Use UTC or a name such as America/Mexico_City; 'ls \($0)/America' shows more." }
        ?? "Use UTC, or install the package tzdata, and use a name such as America/Mexico_City."
    )
  }

  /// Returns the UTC offset at a time, in seconds, positive east of Greenwich.
  package func offset(at seconds: Int64) -> Int {
    let low = zone.transitions.indices.firstNumber { zone.transitions[$0] > seconds }
    if low == zone.transitions.count, let rule = zone.rule { return rule.offset(at: seconds) }
    return Int(low == 0 ? zone.firstOffset : zone.offsets[low - 1])
  }

  /// Returns the start of a day in the zone; nil for a day that does not exist.
  ///
  /// If its first hour is skipped, the day starts after the gap.
  package func startOfDay(year: Int, month: Int, day: Int) -> Timestamp? {
    guard LiteralContext.utcDay(year, month, day) != nil else { return nil }
    return moment(of: DateText(days: Civil.days(year: year, month: month, day: day)))
  }

  /// Returns the start of days in the zone of that name, for a schema that is read.
  ///
  /// - Throws: The errors of ``init(named:)``.
  package static func days(in name: String) throws(Failure) -> LiteralContext.DayStart {
    let zone = try LocalTimeZone(named: name)
    return { zone.startOfDay(year: $0, month: $1, day: $2) }
  }

  private static var folders: [String] {
    let standard = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo"]
    guard let value = getenv("TZDIR"), value.pointee != 0 else { return standard }
    return [String(cString: value)] + standard
  }

  private static func contents(of path: String) -> [UInt8]? {
    guard SystemCall.status(path).status?.isRegularFile ?? false else { return nil }
    do throws(Failure) {
      var file = try InputFile(path, decompresses: false)
      return try file.bytes(atMost: 1 << 20, orThrow: .malformed(path, "it is larger than 1 MiB"))
    } catch {
      return nil
    }
  }
}
