/// Who sets the times that the schema assigns to the service when documents are loaded.
package enum LoadTimes: Sendable {
  /// Nobody: documents are written with the times that they bring, as when restoring or copying.
  case kept
  /// The service sets the time of the last change of a document that changes and brings no later one than is stored.
  ///
  /// A document that is created keeps the times that it brings.
  case changed
  /// The service, ignoring the times in the documents.
  case server
}
