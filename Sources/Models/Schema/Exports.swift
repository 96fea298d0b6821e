// Values, paths and failures: the words of every file here.

@_exported public import FirestoreModels
