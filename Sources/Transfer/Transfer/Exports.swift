// What most files here need.

@_exported public import Files
@_exported public import FirestoreModels
@_exported public import Runs
