// What other packages import: documents as Swift types, without any I/O.

@_exported public import FirestoreModels
@_exported public import TypedDocuments

/// The names of this library that others have too, qualified.
///
///     import FirestoreDocuments
///
///     let result: Result<App, FirestoreDocuments.Error> = try decoder.decodeGetResult(from: data)
///     struct Closed: Error {}    // still Swift's own
///
/// It is a type with the name of the module. A `public typealias Error` beside the types would shadow
/// `Swift.Error` in every file that imports the library: `struct Closed: Error` and `any Error` would no
/// longer compile there. Within a type the name is found only where it is qualified.
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
