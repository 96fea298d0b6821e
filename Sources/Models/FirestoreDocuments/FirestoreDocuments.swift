// The library that other packages import: documents as Swift types, without any I/O.

@_exported public import FirestoreModels
@_exported public import TypedDocuments

/// Qualified names for types of this library whose names are common elsewhere.
///
///     import FirestoreDocuments
///
///     let result: Result<App, FirestoreDocuments.Error> = try decoder.decodeGetResult(from: data)
///     struct Closed: Error {}    // still Swift's own
///
/// This is a type with the name of the module. A top-level `public typealias Error` would shadow `Swift.Error` in every file that
/// imports the library: `struct Closed: Error` and `any Error` would no longer compile there. A name nested in a type is found
/// only when it is qualified.
public enum FirestoreDocuments {
  /// The service's error, as opposed to `Swift.Error`.
  public typealias Error = FirestoreError
  /// A document with typed fields.
  public typealias Document<Fields: Decodable> = TypedDocuments.Document<Fields>
  /// A property that receives the document ID.
  public typealias DocumentID = TypedDocuments.DocumentID
  /// A value of any type.
  public typealias Value = FirestoreModels.Value
  /// A point in time with nanoseconds.
  public typealias Timestamp = FirestoreModels.Timestamp
  /// A geographic point.
  public typealias GeoPoint = FirestoreModels.GeoPoint
}
