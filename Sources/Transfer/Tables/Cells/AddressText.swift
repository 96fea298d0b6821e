/// Parses references and geo points as people type them.
enum AddressText {
  /// Returns the path that a text names: `cars/c1`, `/cars/c1`, or the full name of a document, with its database.
  static func reference(_ utf8: UnsafeBufferPointer<UInt8>) -> (path: DocumentPath, database: DatabaseName?)?
  {
    guard utf8.contains(UInt8(ascii: "/")) else { return nil }
    let text = String(decoding: utf8, as: UTF8.self)
    if let (database, path) = DatabaseName.split(text) { return (path, database) }
    if DatabaseName.beginsName(text) { return nil }
    let isAbsolute = utf8.first == UInt8(ascii: "/")
    return DocumentPath(isAbsolute ? String(Substring(text.utf8.dropFirst())) : text).map { ($0, nil) }
  }

  /// Parses `19.4326, -99.1332`: degrees north, a comma, degrees east.
  static func geoPoint(_ utf8: UnsafeBufferPointer<UInt8>) -> GeoPoint? {
    guard let comma = utf8.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    var east = utf8[(comma + 1)...]
    while east.first == 0x20 { east.removeFirst() }
    guard let latitude = degrees(utf8[..<comma]), let longitude = degrees(east), latitude.magnitude <= 90,
      longitude.magnitude <= 180
    else { return nil }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }

  private static func degrees(_ part: Slice<UnsafeBufferPointer<UInt8>>) -> Double? {
    let utf8 = UnsafeBufferPointer(rebasing: part)
    // Minus zero degrees is a number in any form.
    let isNumber = CellForm.number(utf8) != nil || utf8.elementsEqual("-0".utf8)
    return isNumber ? Double(String(decoding: utf8, as: UTF8.self)) : nil
  }

  /// Whether a text is a document path without white space or a geo point, as columns of such values accept.
  static func isAddress(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool { isReference(utf8) || isGeoPoint(utf8) }

  static func isReference(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    utf8.contains(UInt8(ascii: "/")) && !utf8.contains { $0 <= 0x20 } && reference(utf8) != nil
  }

  static func isGeoPoint(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = utf8.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") <= 9 else {
      return false
    }
    return geoPoint(utf8) != nil
  }
}
