import Files
import FirestoreREST

/// Reads one version of an object, piece by piece, and verifies its checksum at the end.
///
/// If the response to a piece is cut off, only that piece is requested again. A reading after the first verifies each piece
/// before it is handed on.
struct ObjectDownload: Sendable {
  /// The number of bytes per request.
  static let pieceBytes = 4 << 20

  let address: StorageAddress
  let object: StorageResource
  private let client: StorageClient
  private var checksum = CRC32C()
  /// The checksums of the pieces that were taken.
  private(set) var pieces: [CRC32C] = []
  /// The checksums of all pieces, from a reading that was verified as a whole; empty for the first reading.
  private let known: [CRC32C]
  private var received = 0
  private var call: StorageCall { StorageCall("read", address) }

  /// - Parameters:
  ///   - object: The version, as looked up.
  ///   - known: The ``pieces`` of an earlier reading of it.
  init(
    _ object: StorageResource,
    at address: StorageAddress,
    _ client: StorageClient,
    known: [CRC32C] = []
  ) {
    self.object = object
    self.known = known
    self.address = address
    self.client = client
  }

  /// Returns the offsets of the next piece; empty at the end.
  var next: Range<Int> { received..<min(received + Self.pieceBytes, object.bytes) }

  /// Requests bytes of the version.
  ///
  /// - Throws: `.inputMissing` if the version is gone; `.notPermitted`, `.unavailable`, `.interrupted`.
  func bytes(_ range: Range<Int>) async throws(Failure) -> [UInt8] {
    if range.isEmpty { return [] }
    var request = client.request(
      "GET",
      client.url(of: address, [("alt", "media"), ("generation", String(object.generation))]),
      headers: [
        ("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"),
        // Without this header, an object that is stored compressed would be decompressed in transit, and its range would
        // refer to something else.
        ("Accept-Encoding", "gzip"),
      ],
      moving: range.count,
      // This leaves room for the text of an error.
      maximumBodyBytes: max(range.count, 1 << 16)
    )
    request.decompresses = false
    let response = try await client.send(request, call)
    switch response.status {
    case 206, 200:
      // A server that ignores ranges sends the whole object, which is fine if that was requested.
      if response.body.count == range.count, response.status == 206 || range.count == object.bytes {
        return response.body
      }
      let cause = "\(range.count) bytes were requested, and \(response.body.count) came"
      throw call.foreign(cause)
    case 404, 410, 412, 416:
      throw Failure(
        .inputMissing,
        "read",
        path: address.description,
        cause: "it was replaced or deleted while it was read",
        remedy: "Run the command again."
      )
    default: throw call.refused(response)
    }
  }

  /// Requests and checks the next piece; returns nil at the end.
  ///
  /// - Throws: The errors of ``bytes(_:)`` and ``take(_:)``.
  mutating func nextPiece() async throws(Failure) -> [UInt8]? {
    if next.isEmpty { return nil }
    let piece = try await bytes(next)
    try take(piece)
    return piece
  }

  /// Whether the bytes of ``next`` are those of an earlier reading, as far as there was one.
  func accepts(_ bytes: [UInt8]) -> Bool {
    !known.indices.contains(pieces.count) || known[pieces.count] == CRC32C.checksum(of: bytes)
  }

  /// Takes the bytes of ``next``.
  ///
  /// - Throws: `.inputMalformed` if they differ from those of an earlier reading, or were the last and the whole differs
  ///   from what is stored.
  mutating func take(_ bytes: [UInt8]) throws(Failure) {
    let isSame = accepts(bytes)
    received += bytes.count
    guard let expected = object.crc32c else { return }
    pieces.append(CRC32C.checksum(of: bytes))
    bytes.withUnsafeBytes { checksum.update($0) }
    if isSame, received != object.bytes || checksum.base64.isIdentical(to: expected) { return }
    throw call.damaged("its checksum (CRC32C) is not that of the stored object")
  }
}
