package import Schema

extension DatabaseSchema {
  /// Returns the zone of that name; by default the schema's, or else UTC.
  ///
  /// - Throws: ``Failure`` of kind `configuration` for a zone that this system does not know.
  package func zone(named name: String? = nil) throws(Failure) -> LocalTimeZone {
    try LocalTimeZone(named: name ?? timeZone ?? "UTC")
  }
}
