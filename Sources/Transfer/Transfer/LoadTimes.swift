/// Who sets the times that the schema gives to the service, where documents are loaded.
package enum LoadTimes: Sendable {
  /// Nobody: documents are written with the times that they bring, as what restores or carries over does.
  case kept
  /// The service sets that of the last change in a document that changes and brings none that is later than it has. A
  /// document that is created keeps those that it brings.
  case changed
  /// The service, whatever the documents bring.
  case server
}
