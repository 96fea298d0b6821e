// Modules that most files here use.

@_exported public import FirestoreModels
@_exported public import Schema
