// Modules that every command uses: options, values and failures, files, the client, and runs.

@_exported public import ArgumentParser
@_exported public import Files
@_exported public import FirestoreModels
@_exported public import FirestoreREST
@_exported public import Runs
