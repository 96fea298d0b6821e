// Modules that most files here use.

@_exported public import FirestoreModels
@_exported public import MigrationEngine
@_exported public import Transfer
