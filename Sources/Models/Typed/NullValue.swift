/// Null, as a value of its own: `{"nullValue": null}`.
///
/// A field of type `NullValue?` tells a field that is null from one that is absent.
public struct NullValue: ScalarValue {
  /// Makes null.
  public init() {}

  /// Makes null of nothing.
  public init(_ plain: Void) {}

  /// Takes null; nil for a value of another type.
  public init?(value: Value) {
    guard value.isNull else { return nil }
  }

  /// The value.
  public var value: Value { .null }

  /// Nothing.
  public var plain: Void {
    get { () }
    set {}
  }

  /// Null is what it holds.
  public static var acceptsNull: Bool { true }

  /// What is expected, for errors.
  public static var expectation: String { "null" }
}
