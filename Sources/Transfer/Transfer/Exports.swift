// Needed by most files of this module.

@_exported public import Files
@_exported public import FirestoreModels
@_exported public import Runs
