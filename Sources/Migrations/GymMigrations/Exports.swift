// What most files here need.

@_exported public import FirestoreModels
@_exported public import GymModels
@_exported public import MigrationEngine
