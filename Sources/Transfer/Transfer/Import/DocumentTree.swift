import FirestoreModels
import Tables

/// The folders that firestore-backup-restore writes.
///
/// Each collection is a folder, with a folder for each document in it; that holds the file `ID.json` and, beside it, the
/// folders of the collections below the document.
enum DocumentTree {
  /// Returns the sources of the documents of a folder, one file each; none for any other folder, or for one in a bucket.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for a symbolic link that leads out of the folder.
  static func sources(in folder: String, via access: FileAccess) throws(Failure) -> [ImportSource] {
    if FileAccess.isRemote(folder) { return [] }
    let names = try access.names(in: folder)
    if names.contains(where: { InputFormat(inFolder: $0) != nil }) { return [] }
    var sources: [ImportSource] = []
    try add(collectionsIn: folder, below: nil, within: folder, to: &sources)
    for index in sources.indices { sources[index].firstDocument = sources[0].document }
    return sources
  }

  private static func add(
    collectionsIn folder: String,
    below parent: DocumentPath?,
    within root: String,
    to sources: inout [ImportSource]
  ) throws(Failure) {
    for name in FilePaths.names(in: folder)
    where SystemCall.linkStatus("\(folder)/\(name)").status?.isFolder ?? false {
      let collection = CollectionPath(parent, name)
      for id in FilePaths.names(in: "\(folder)/\(name)") {
        let place = "\(folder)/\(name)/\(id)"
        guard SystemCall.linkStatus(place).status?.isFolder ?? false else { continue }
        let document = DocumentPath(collection, id)
        let file = "\(place)/\(id).json"
        if SystemCall.status(file).status?.isRegularFile ?? false {
          try FilePaths.assertWithin(root, file)
          var source = ImportSource(path: file, format: .json)
          source.document = document
          sources.append(source)
        }
        try add(collectionsIn: place, below: document, within: root, to: &sources)
      }
    }
  }
}
