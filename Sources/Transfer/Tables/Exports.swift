// Values, paths and failures, which every file of this module needs.

@_exported public import FirestoreModels
