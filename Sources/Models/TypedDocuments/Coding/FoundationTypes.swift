// Conversions of Foundation types that correspond to a Firestore type.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ValueDecoder {
  /// Converts the value to a Foundation type; nil if `type` is not one.
  func foundationValue<T>(_ type: T.Type) throws -> T? {
    if type == Date.self {
      guard case .timestamp(let time) = value else { throw mismatch(type, expected: "a timestamp") }
      return time.date as? T
    }
    if type == Data.self {
      guard case .bytes(let bytes) = value else { throw mismatch(type, expected: "bytes") }
      return Data(bytes) as? T
    }
    if type == URL.self {
      guard case .string(let text) = value else { throw mismatch(type, expected: "a string that is a URL") }
      guard let url = URL(string: text) else {
        throw DecodingError.fault("the text is not a URL", at: codingPath)
      }
      return try unchanged(url, text, url.absoluteString, "use URLValue or String") as? T
    }
    if type == UUID.self {
      guard case .string(let text) = value else { throw mismatch(type, expected: "a string that is a UUID") }
      guard let uuid = UUID(uuidString: text) else {
        throw DecodingError.fault("the text is not a UUID", at: codingPath)
      }
      return try unchanged(uuid, text, uuid.uuidString, "a UUID is in upper case; use String") as? T
    }
    if type == Decimal.self {
      throw DecodingError.fault("Firestore has no decimal numbers; use Double or a string", at: codingPath)
    }
    return nil
  }

  /// Returns what was read from a text, if it is written as the same text.
  private func unchanged<T>(_ content: T, _ text: String, _ written: String, _ advice: String) throws -> T {
    guard written.isIdentical(to: text) else {
      throw DecodingError.fault("it would be written back as another text: \(advice)", at: codingPath)
    }
    return content
  }
}

extension ValueEncoder {
  /// Converts a Foundation value; nil if `content` is not one.
  func foundationValue<T>(of content: T) throws -> Value? {
    switch content {
    case let date as Date:
      guard let time = Timestamp(date) else {
        throw EncodingError.fault(T.self, "the date is not of the years 1 to 9999", at: codingPath)
      }
      return .timestamp(time)
    case let data as Data: return .bytes([UInt8](data))
    case let url as URL: return .string(url.absoluteString)
    case is Decimal:
      throw EncodingError.fault(
        T.self,
        "Firestore has no decimal numbers; use Double or a string",
        at: codingPath
      )
    default: return nil
    }
  }
}

extension Timestamp {
  /// The timestamp as a `Date`, rounded to its precision.
  ///
  /// A `Date` is a `Double` of seconds since 2001. In the years 1729 to 2273 it distinguishes all microseconds, so that
  /// ``init(_:)-(Date)`` restores a timestamp of microseconds; nanoseconds are lost. Farther from 2001 it is less precise (30 µs
  /// in 9999), and never in the year 10000, which no timestamp can hold.
  public var date: Date {
    let interval = Double(seconds - secondsTo2001) + Double(nanoseconds) / 1e9
    let end = Double(Self.maximumSeconds + 1 - secondsTo2001)
    return Date(timeIntervalSinceReferenceDate: min(interval, end.nextDown))
  }

  /// Creates a timestamp from a date, rounded to the nearest microsecond; nil outside the years 1 to 9999.
  ///
  /// Rounding down, as the service does, would turn a date read from `.969797` and stored as the nearest
  /// lower `Double` into `.969796`.
  public init?(_ date: Date) {
    let interval = date.timeIntervalSinceReferenceDate
    guard interval.isFinite, abs(interval) < 1e12 else { return nil }
    let wholeSeconds = interval.rounded(.down)
    let microseconds = Int64(((interval - wholeSeconds) * 1e6).rounded())
    let seconds = Int64(wholeSeconds) + secondsTo2001 + microseconds / 1_000_000
    self.init(seconds: seconds, nanoseconds: Int32(microseconds % 1_000_000 * 1000))
  }
}

/// 2001-01-01T00:00:00Z, the reference date of `Date`.
private let secondsTo2001: Int64 = 978_307_200

extension TimestampValue {
  /// The timestamp as a date; see ``Timestamp/date`` for the precision.
  public var date: Date { timestampValue.date }

  /// Creates a value from a date, rounded to microseconds; nil outside the years 1 to 9999.
  public init?(_ date: Date) {
    guard let time = Timestamp(date) else { return nil }
    self.init(time)
  }
}

extension BytesValue {
  /// The bytes as `Data`.
  public var data: Data { Data(bytesValue) }

  /// Creates a value from `Data`.
  public init(_ data: Data) { self.init([UInt8](data)) }
}

/// A document whose times are exact, and also available as `Date` where the context asks for one.
public protocol ExactTimes {
  /// The creation time with all its digits.
  var createTime: Timestamp { get }
  /// The time of the last change with all its digits, for preconditions.
  var updateTime: Timestamp { get }
}

extension ExactTimes {
  /// ``createTime-(Timestamp)`` as a date; see ``Timestamp/date`` for the precision.
  @_disfavoredOverload
  public var createTime: Date { createDate }

  /// ``updateTime-(Timestamp)`` as a date; preconditions need the exact time.
  @_disfavoredOverload
  public var updateTime: Date { updateDate }

  /// The creation time as a date; see ``Timestamp/date`` for the precision.
  public var createDate: Date { (createTime as Timestamp).date }

  /// The time of the last change as a date; preconditions need the exact time.
  public var updateDate: Date { (updateTime as Timestamp).date }
}
