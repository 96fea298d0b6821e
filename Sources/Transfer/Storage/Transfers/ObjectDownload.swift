import Files
import FirestoreREST

/// Reads one version of an object, piece by piece, and checks its checksum at the end.
///
/// A piece whose answer is cut off is requested again, and nothing before it.
struct ObjectDownload: Sendable {
  /// The bytes that are requested at once.
  static let pieceBytes = 4 << 20

  let address: StorageAddress
  let object: StorageResource
  private let client: StorageClient
  private var checksum = CRC32C()
  private var received = 0

  /// - Parameter object: The version, from a look at the object.
  init(_ object: StorageResource, at address: StorageAddress, _ client: StorageClient) {
    self.object = object
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
        // Without it, an object that is stored compressed would be decompressed on its way, and its range be of something else.
        ("Accept-Encoding", "gzip"),
      ],
      moving: range.count,
      // Room for an error's text.
      maximumBodyBytes: max(range.count, 1 << 16)
    )
    request.decompresses = false
    let response = try await client.send(request, .repeatable, "read", address)
    switch response.status {
    case 206, 200:
      // A server that ignores ranges sends the whole object, which is as good if that was asked for.
      if response.body.count == range.count, response.status == 206 || range.count == object.bytes {
        return response.body
      }
      let cause = "\(range.count) bytes were requested, and \(response.body.count) came"
      throw StorageFailure.foreign(cause, "read", address)
    case 404, 410, 412, 416:
      throw Failure(
        .inputMissing,
        "read",
        path: address.description,
        cause: "it was replaced or deleted while it was read",
        remedy: "Run the command again."
      )
    default: throw StorageFailure.refused(response, "read", address, writes: false)
    }
  }

  /// Requests and checks the next piece; nil at the end.
  ///
  /// - Throws: As ``bytes(_:)`` and ``take(_:)``.
  mutating func nextPiece() async throws(Failure) -> [UInt8]? {
    if next.isEmpty { return nil }
    let piece = try await bytes(next)
    try take(piece)
    return piece
  }

  /// Takes the bytes of ``next``.
  ///
  /// - Throws: `.inputMalformed` if they were the last, and all together are not what is stored.
  mutating func take(_ bytes: [UInt8]) throws(Failure) {
    received += bytes.count
    guard let expected = object.crc32c else { return }
    bytes.withUnsafeBytes { checksum.update($0) }
    if received != object.bytes || checksum.base64.isIdentical(to: expected) { return }
    throw StorageFailure.damaged("read", address, "its checksum (CRC32C) is not that of the stored object")
  }
}
