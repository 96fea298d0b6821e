package import Schema

extension DatabaseSchema {
  /// The zone of a name, else the schema's, else UTC.
  ///
  /// - Throws: `.configuration` for a zone that this system does not know.
  package func zone(named name: String? = nil) throws(Failure) -> LocalTimeZone {
    try LocalTimeZone(named: name ?? timeZone ?? "UTC")
  }
}
