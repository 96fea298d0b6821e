// Values, paths and failures, which every file here uses.

@_exported public import FirestoreModels
