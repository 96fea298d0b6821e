package import FirestoreModels

/// A point on earth: `{"geoPointValue": {"latitude": 1.5, "longitude": -2}}`; a coordinate left out is 0.
package struct GeoPointValue: ScalarValue {
  /// The plain value.
  package var geoPointValue: GeoPoint

  /// Wraps a plain value.
  package init(_ plain: GeoPoint) { geoPointValue = plain }

  /// Takes a geo point; nil for a value of another type.
  package init?(value: Value) {
    guard case .geoPoint(let plain) = value else { return nil }
    geoPointValue = plain
  }

  /// The value.
  package var value: Value { .geoPoint(geoPointValue) }

  /// The plain value, as `geoPointValue`.
  package var plain: GeoPoint {
    get { geoPointValue }
    set { geoPointValue = newValue }
  }

  /// What is expected, for errors.
  package static var expectation: String { "a geo point" }
}

extension GeoPointValue {
  /// Makes a point of its coordinates in degrees.
  package init(latitude: Double, longitude: Double) {
    self.init(GeoPoint(latitude: latitude, longitude: longitude))
  }
}
