import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Tables

@Suite struct LocalTimeZoneTests {
  @Test(arguments: [
    // Mexico gave summer time up in October 2022; before 1922 the city kept its own time.
    ("2022-07-01T12:00:00Z", -5), ("2022-10-30T06:59:59Z", -5), ("2022-10-30T07:00:00Z", -6),
    ("2023-07-01T12:00:00Z", -6), ("2026-01-01T00:00:00Z", -6), ("9999-12-31T00:00:00Z", -6),
    ("2022-04-03T07:59:59Z", -6), ("2022-04-03T08:00:00Z", -5), ("1950-01-01T00:00:00Z", -6),
  ])
  func mexicoCity(moment: String, hours: Int) throws {
    let zone = try LocalTimeZone(named: "America/Mexico_City")
    let moment = try #require(Timestamp(moment))
    #expect(zone.offset(at: moment.seconds) == hours * 3600)
  }

  @Test(
    .enabled(if: Judge.hasPython),
    arguments: [
      "America/Mexico_City", "America/New_York", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Kathmandu",
      "America/Sao_Paulo", "America/Santiago", "Pacific/Chatham", "Africa/Casablanca", "America/Nuuk",
      "Etc/GMT+3",
    ]
  )
  func anyZoneAsPythonHasIt(name: String) throws {
    let seed: UInt64 = 20_261_121
    var random = SplitMix64(seed: seed)
    var moments = (0..<3000).map { _ in Int64.random(in: -2_208_988_800...253_402_200_000, using: &random) }
    moments += (0..<3000).map { _ in Int64.random(in: 0...4_102_444_800, using: &random) }
    let judged = try JSONDecoder().decode(
      [Int].self,
      from: try Judge.run(
        [Judge.script("zone_offsets.py"), name],
        input: moments.map { "\($0)\n" }.joined()
      )
    )
    let zone = try LocalTimeZone(named: name)
    let differing = zip(moments, judged).filter { zone.offset(at: $0) != $1 }
    #expect(differing.isEmpty, "seed \(seed), first at \(differing.first?.0 ?? 0)")
  }

  @Test(arguments: ["Mexico", "", "../../../etc/passwd", "/etc/localtime", "America", "America/./New_York"])
  func unknownZonesAreRefused(name: String) {
    let failure = #expect(throws: Failure.self) { try LocalTimeZone(named: name) }
    #expect(failure?.kind == .configuration)
    // The package is there, and would not help.
    #expect(failure?.remedy?.contains("America/Mexico_City") == true)
    #expect(failure?.remedy?.contains("tzdata") == false)
  }

  @Test func utcNeedsNoFile() throws {
    #expect(try LocalTimeZone(named: "UTC").offset(at: 0) == 0)
  }

  @Test(arguments: [
    // POSIX.1, chapter 8.3; days worked out by hand on a calendar.
    ("EST5EDT,M3.2.0,M11.1.0", "2100-03-14T06:59:59Z", -18_000),
    ("EST5EDT,M3.2.0,M11.1.0", "2100-03-14T07:00:00Z", -14_400),
    ("XXX3YYY,J60/0,J300/0", "2024-03-01T02:59:59Z", -10_800),
    ("XXX3YYY,J60/0,J300/0", "2024-03-01T03:00:00Z", -7200),
    ("XXX3YYY,59/0,300/0", "2024-02-29T03:00:00Z", -7200),
    ("<+0330>-3:30", "2024-02-29T03:00:00Z", 12_600),
  ])
  func posixRules(rule: String, moment: String, offset: Int) throws {
    let rule = try #require(ClockRule(Array(rule.utf8)))
    let moment = try #require(Timestamp(moment))
    #expect(rule.offset(at: moment.seconds) == offset)
  }

  @Test(arguments: ["", "A5", "EST", "EST5EDT", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.2.0,M11.1.0x"])
  func badRulesAreRefused(rule: String) {
    #expect(ClockRule(Array(rule.utf8)) == nil)
  }
}
