// What most files here need.

@_exported public import FirestoreModels
@_exported public import MigrationEngine
@_exported public import Transfer
