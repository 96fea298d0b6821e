package import Files
import Synchronization

/// Files in buckets, for all code that reads and writes files by name.
///
/// An object is always read in the version that was seen first, so that an input that is read twice is the same both times;
/// one that this process has written, in the version that it wrote.
package final class BucketFiles: RemoteFiles {
  /// The kind of the objects that it writes, in their metadata.
  static let kind = "file"

  let client: StorageClient
  let bridge: Bridge
  /// The objects that were looked up, by address.
  private let seen = Mutex<[UTF8Key: StorageResource]>([:])
  /// The checksums of the pieces of the objects that were read to the end, by address.
  private let pieces = Mutex<[UTF8Key: [CRC32C]]>([:])
  /// The addresses that are known to be writable: asking costs a request that is billed.
  private let writable = Mutex<Set<UTF8Key>>([])

  init(_ client: StorageClient, _ bridge: Bridge) {
    self.client = client
    self.bridge = bridge
  }

  // MARK: Looking

  package func entry(at text: String) throws(Failure) -> RemoteEntry? {
    let address = try resolved(StorageAddress(text))
    if !address.isFolder, let object = try object(at: address) {
      return .file(bytes: object.bytes, version: String(object.generation))
    }
    let folder = address.asFolder
    let isThere = try bridge.run("read", text) { [client] () async throws(Failure) -> Bool in
      try await client.holdsObjects(folder)
    }
    return isThere || folder.name.isEmpty ? .folder : nil
  }

  package func names(in folder: String) throws(Failure) -> [String] {
    let address = try resolved(StorageAddress(folder)).asFolder
    return try bridge.run("list", folder) { [client] () async throws(Failure) -> [String] in
      var names: [String] = []
      try await client.list(address, delimiter: "/") { objects, prefixes throws(Failure) in
        for name in objects.map(\.name) + prefixes { names.append(try address.relative(name)) }
      }
      return names.filter { !$0.isEmpty }.sorted { $0.compareUTF8($1) < 0 }
    }
  }

  /// Returns an object without its content, in the version that was seen first; nil if there is none.
  private func object(at address: StorageAddress) throws(Failure) -> StorageResource? {
    let key = UTF8Key(address.description)
    if let known = seen.withLock({ $0[key] }) { return known }
    let found = try bridge.run("read", address.description) {
      [client] () async throws(Failure) -> StorageResource? in
      if let object = try await client.object(at: address).object { return object }
      try await client.assertBucket(of: address)
      return nil
    }
    if let found { seen.withLock { $0[key] = found } }
    return found
  }

  /// Resolves `latest` in an address to the name of a dated export.
  private func resolved(_ address: StorageAddress) throws(Failure) -> StorageAddress {
    var segments = address.name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let index = segments.lastIndex(where: { $0.isIdentical(to: LatestPointer.name) }) else {
      return address
    }
    let link = StorageAddress(bucket: address.bucket, name: segments[...index].joined(separator: "/"))
    guard let object = try object(at: link), LatestPointer.isOne(object) else { return address }
    let target = try bridge.run("read", link.description) { [client] () async throws(Failure) -> [UInt8] in
      try await ObjectDownload(object, at: link, client).bytes(0..<object.bytes)
    }
    guard let name = LatestPointer.target(target) else {
      let remedy = "Name the folder of an export itself."
      throw .malformed(link.description, "it does not name an export", remedy: remedy)
    }
    segments[index] = name
    if index == segments.count - 1 { segments.append("") }
    return StorageAddress(bucket: address.bucket, name: segments.joined(separator: "/"))
  }

  // MARK: Reading and writing

  package func reader(of text: String) throws(Failure) -> any RemoteReader {
    let address = try resolved(StorageAddress(text))
    if !address.isFolder, let object = try object(at: address) {
      try KeptFiles.willRead(remote: address.description)
      let key = UTF8Key(address.description)
      let known = pieces.withLock { $0[key] ?? [] }
      return ObjectReader(ObjectDownload(object, at: address, client, known: known), bridge) { [self] sums in
        pieces.withLock { $0[key] = sums }
      }
    }
    let isFolder = try entry(at: text) == .folder
    throw Failure(
      .inputMissing,
      "read",
      path: text,
      cause: isFolder ? "it is a folder" : "there is no such object",
      remedy: isFolder ? "Name a file in it." : nil
    )
  }

  package func head(of text: String, atMost count: Int) throws(Failure) -> [UInt8] {
    let address = try resolved(StorageAddress(text))
    guard !address.isFolder, let object = try object(at: address) else { return [] }
    return try bridge.run("read", text) { [client] () async throws(Failure) -> [UInt8] in
      try await ObjectDownload(object, at: address, client).bytes(0..<min(count, object.bytes))
    }
  }

  package func writer(to text: String) throws(Failure) -> any RemoteWriter {
    let address = try file(text)
    let upload = try bridge.run("write", text) { [client] () async throws(Failure) -> ObjectUpload in
      try await Self.start(address, client)
    }
    return ObjectWriter(upload, bridge) { [self] object in
      let key = UTF8Key(address.description)
      seen.withLock { $0[key] = object }
      KeptFiles.didWrite(remote: address.description)
      pieces.withLock { _ = $0.removeValue(forKey: key) }
    }
  }

  package func checkWritable(_ text: String) throws(Failure) {
    let address = try file(text)
    let key = UTF8Key(address.description)
    if writable.withLock({ $0.contains(key) }) { return }
    try bridge.run("write", text) { [client] () async throws(Failure) -> Void in
      // An unused session leaves nothing behind, and requires the same permission.
      let upload = try await Self.start(address, client)
      await upload.abandon()
    }
    writable.withLock { _ = $0.insert(key) }
  }

  /// Starts an upload that replaces the current object, but not one that appears in the meantime.
  private static func start(
    _ address: StorageAddress,
    _ client: StorageClient
  ) async throws(Failure) -> ObjectUpload {
    for _ in 0..<10 {
      let generation = try await client.object(at: address, "write").object?.generation ?? 0
      if let upload = try await ObjectUpload.start(address, ifGeneration: generation, kind: kind, client) {
        return upload
      }
    }
    throw Self.replaced(address)
  }

  private func file(_ text: String) throws(Failure) -> StorageAddress {
    let address = try StorageAddress(text)
    if !address.isFolder { return address }
    throw Failure.cannotWrite(text, "it names a folder", remedy: "Name a file in it.")
  }

  static func replaced(_ address: StorageAddress) -> Failure {
    Failure(
      .tryLater,
      "write",
      path: address.description,
      cause: "somebody else has written or deleted it since this run began it",
      remedy: "It was left as they left it; run the command again if it is still needed."
    )
  }
}

/// Reads an object piece by piece, requesting the next piece while the last one is processed.
private final class ObjectReader: RemoteReader {
  private var download: ObjectDownload
  private let bridge: Bridge
  private var piece: [UInt8] = []
  private var used = 0
  private var ahead: Pending<[UInt8]>?
  private let onEnd: ([CRC32C]) -> Void

  /// - Parameter onEnd: Receives the checksums of the pieces of an object that was read to its end and verified.
  init(_ download: ObjectDownload, _ bridge: Bridge, onEnd: @escaping ([CRC32C]) -> Void) {
    self.download = download
    self.bridge = bridge
    self.onEnd = onEnd
  }

  deinit { ahead?.cancel() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    if buffer.isEmpty { return 0 }
    if used == piece.count {
      if ahead == nil { ahead = request() }
      guard let pending = ahead else { return 0 }
      ahead = nil
      piece = []
      piece = try pending.wait("read", download.address.description)
      used = 0
      // Bytes that were changed on their way may arrive unchanged the next time.
      if !download.accepts(piece), let again = request() {
        piece = try again.wait("read", download.address.description)
      }
      try download.take(piece)
      ahead = request()
      if ahead == nil { onEnd(download.pieces) }
    }
    let count = min(buffer.count, piece.count - used)
    piece.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[used..<(used + count)]))
    }
    used += count
    return count
  }

  /// Requests the next piece; returns nil at the end.
  private func request() -> Pending<[UInt8]>? {
    let (download, range) = (download, download.next)
    if range.isEmpty { return nil }
    return bridge.begin { () async throws(Failure) -> [UInt8] in try await download.bytes(range) }
  }
}

/// Collects pieces, sending one while the next is filled.
///
/// The two buffers are swapped repeatedly, so that an object of any size takes the memory of two pieces.
private final class ObjectWriter: RemoteWriter {
  private let upload: Locked<ObjectUpload>
  private let address: StorageAddress
  private let bridge: Bridge
  private let onFinish: (StorageResource) -> Void
  private var piece: [UInt8] = []
  /// The piece in flight, or its empty buffer afterwards.
  private let parcel = Locked<[UInt8]>([])
  private var sending: Pending<Void>?
  private var failure: Failure?

  /// - Parameter onFinish: Receives the object that was written.
  init(_ upload: ObjectUpload, _ bridge: Bridge, onFinish: @escaping (StorageResource) -> Void) {
    self.upload = Locked(upload)
    address = upload.address
    self.bridge = bridge
    self.onFinish = onFinish
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    if let failure { throw failure }
    var rest = bytes[...]
    while !rest.isEmpty {
      // A piece that is never filled takes no memory.
      if piece.capacity < ObjectUpload.pieceBytes { piece.reserveCapacity(ObjectUpload.pieceBytes) }
      let part = rest.prefix(ObjectUpload.pieceBytes - piece.count)
      piece.append(contentsOf: part)
      rest = rest.dropFirst(part.count)
      if piece.count == ObjectUpload.pieceBytes { try keeping { () throws(Failure) in try handOver() } }
    }
  }

  func finish() throws(Failure) {
    if let failure { throw failure }
    try keeping { () throws(Failure) in
      try settle()
      parcel.withLock { swap(&$0, &piece) }
      piece = []
      let (upload, parcel) = (upload, parcel)
      let written = try bridge.run("write", address.description) {
        () async throws(Failure) -> StorageResource? in
        var current = upload.withLock { $0 }
        defer { upload.withLock { $0 = current } }
        return try await current.finish(parcel.withLock { $0 })
      }
      guard let written else { throw BucketFiles.replaced(address) }
      onFinish(written)
    }
  }

  func abandon() {
    sending?.cancel()
    sending = nil
    piece = []
    parcel.withLock { $0 = [] }
    // This is optional, because an abandoned session expires.
    let upload = upload
    _ = try? bridge.run("discard", address.description) { () async throws(Failure) -> Void in
      await upload.withLock { $0 }.abandon()
    }
  }

  /// Waits for the piece in flight.
  private func settle() throws(Failure) {
    guard let sending else { return }
    self.sending = nil
    try sending.wait("write", address.description)
  }

  private func handOver() throws(Failure) {
    try settle()
    parcel.withLock { swap(&$0, &piece) }
    piece.removeAll(keepingCapacity: true)
    let (upload, parcel) = (upload, parcel)
    sending = bridge.begin { () async throws(Failure) -> Void in
      var current = upload.withLock { $0 }
      defer { upload.withLock { $0 = current } }
      try await current.send(parcel.withLock { $0 })
    }
  }

  /// Keeps a failure, after which nothing more is accepted, because a piece would be missing.
  private func keeping(_ body: () throws(Failure) -> Void) throws(Failure) {
    do throws(Failure) {
      try body()
    } catch {
      failure = error
      throw error
    }
  }
}
