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
    var unread: [String] = []
    try add(collectionsIn: folder, below: nil, within: folder, to: &sources, &unread)
    for index in sources.indices { sources[index].firstDocument = sources[0].document }
    if !sources.isEmpty { (sources[0].root, sources[0].unread) = (folder, unread) }
    return sources
  }

  /// Adds the documents of the collections in a folder, and the names below `root` of all other files.
  private static func add(
    collectionsIn folder: String,
    below parent: DocumentPath?,
    within root: String,
    to sources: inout [ImportSource],
    _ unread: inout [String]
  ) throws(Failure) {
    for name in FilePaths.names(in: folder) {
      let collection = CollectionPath(parent, name)
      guard isFolder("\(folder)/\(name)") else {
        // Beside the collections below a document is the file of the document.
        if !name.isIdentical(to: "\(parent?.id ?? "").json") { unread.append("\(folder)/\(name)") }
        continue
      }
      for id in FilePaths.names(in: "\(folder)/\(name)") {
        let place = "\(folder)/\(name)/\(id)"
        guard isFolder(place) else {
          unread.append(place)
          continue
        }
        let document = DocumentPath(collection, id)
        let file = "\(place)/\(id).json"
        if SystemCall.status(file).status?.isRegularFile ?? false {
          try FilePaths.assertWithin(root, file)
          var source = ImportSource(path: file, format: .json)
          source.document = document
          sources.append(source)
        }
        try add(collectionsIn: place, below: document, within: root, to: &sources, &unread)
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    SystemCall.linkStatus(path).status?.isFolder ?? false
  }
}
