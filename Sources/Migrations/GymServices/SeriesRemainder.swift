package import FirestoreREST
package import Schema
package import Tables

/// The classes of a series that its cancellation leaves as they are.
package struct SeriesRemainder: Sendable {
  private let day: CalendarDay
  /// The number of classes before the first day.
  private var before = 0
  /// The classes whose `fecha` is missing or no time: they are on no day, and so on none from the first day on.
  private var undated: [DocumentPath] = []
  /// The number of their active bookings.
  private var booked = 0
  /// The maximum number of classes that the warning names.
  private static let named = 20

  /// Reads the days of all classes of a series.
  ///
  /// - Throws: `.inputMissing` if the series has no class on any day; `.usage` for a day that does not exist in the time zone.
  package init(
    of series: String,
    before day: CalendarDay,
    _ zone: LocalTimeZone,
    in client: FirestoreClient
  ) async throws {
    self.day = day
    try await ClassService.assertSeries(series, in: client)
    let start = try zone.start(of: day, for: "cancel the series")
    for read in ClassService.cancellation(of: series, from: nil).sources {
      for try await page in client.pages(of: read) {
        for document in page {
          guard let date = GymClass(document).date else {
            undated.append(document.path)
            continue
          }
          if date < start { before += 1 }
        }
      }
    }
    booked = try await ClassService.activeBookings(of: Set(undated.map { UTF8Key($0.id) }), in: client).count
  }

  /// How many classes are before the first day, as a sentence; nil if there are none.
  package var notice: String? {
    if before == 0 { return nil }
    return
      "\(Self.classes(before)) of the series before \(day.text) \(before == 1 ? "is" : "are") left as before: --from DAY begins earlier."
  }

  /// Which classes have no day, as a sentence; nil if there are none.
  package var warning: String? {
    if undated.isEmpty { return nil }
    let names = undated.prefix(Self.named).map(\.string).joined(separator: ", ")
    let more = undated.count > Self.named ? ", …" : ""
    let bookings = NumberText.counted(booked, "active booking")
    return
      "\(Self.classes(undated.count)) of the series without a time in fecha left as before, with \(bookings): \(names)\(more). 'gymmigrate classes cancel ID' cancels one."
  }

  private static func classes(_ count: Int) -> String {
    NumberText.counted(count, "class", plural: "classes")
  }
}

extension SeriesRemainder: SummarySection {
  private enum CodingKeys: CodingKey { case before, undated, activeBookings }

  package var name: StaticString { "left" }
  package var line: String? { nil }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(before, forKey: .before)
    try json.encode(undated.map(\.string), forKey: .undated)
    try json.encode(booked, forKey: .activeBookings)
  }
}
