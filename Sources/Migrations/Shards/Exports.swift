// Modules that most files here use.

@_exported public import FirestoreModels
@_exported public import FirestoreREST
@_exported public import Runs
@_exported public import TypedDocuments
