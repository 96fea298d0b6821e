extension FirestoreError {
  /// The kind of failure and the remedy for an error of the managed service; nil if those of other methods apply.
  func managedKindAndRemedy(of rpc: RPC?) -> (Failure.Kind, String?)? {
    switch rpc {
    case .exportDocuments?: ofTransfer("write to")
    case .importDocuments?: ofTransfer("read from")
    case .getOperation?, .listOperations?, .cancelOperation?: ofOperation
    case .listBackups?, .listBackupSchedules?: ofBackups
    default: nil
    }
  }

  private func ofTransfer(_ access: String) -> (Failure.Kind, String?)? {
    switch status {
    case .permissionDenied:
      (
        .notPermitted,
        "The signer needs roles/datastore.importExportAdmin. Firestore's service agent, service-PROJECT_NUMBER@gcp-sa-firestore.iam.gserviceaccount.com, needs to \(access) the bucket (roles/storage.admin on it)."
      )
    case .invalidArgument, .outOfRange, .alreadyExists:
      (
        .usage,
        "Check the prefix, the collections and the time. The bucket should be near the database, and not one whose requester pays."
      )
    case .notFound:
      (
        .inputMissing,
        "Check the bucket, the prefix of the export, and the database ID ('gymmigrate env show')."
      )
    case .failedPrecondition:
      (
        .configuration,
        "Billing has to be enabled for the project; a time has to lie in the window of point-in-time recovery ('gymmigrate doctor')."
      )
    case .resourceExhausted:
      (.tryLater, "A project may start 20 exports and imports a minute, and run 50 at once; try again later.")
    default: nil
    }
  }

  private var ofOperation: (Failure.Kind, String?)? {
    switch status {
    case .permissionDenied:
      (.notPermitted, "The signer needs roles/datastore.importExportAdmin.")
    case .notFound:
      (
        .inputMissing,
        "'gymmigrate managed list' shows the operations of the database; the service forgets old ones."
      )
    case .invalidArgument: (.usage, "Check the name of the operation ('gymmigrate managed list').")
    case .failedPrecondition: (.usage, "The operation may have ended: 'gymmigrate managed status' shows it.")
    default: nil
    }
  }

  private var ofBackups: (Failure.Kind, String?)? {
    switch status {
    case .permissionDenied:
      (
        .notPermitted,
        "The signer needs roles/datastore.backupsViewer and roles/datastore.backupSchedulesViewer."
      )
    default: nil
    }
  }
}
