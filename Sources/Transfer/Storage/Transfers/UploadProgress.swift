/// How much of a resumable upload the service has, and what to do after each of its responses.
///
/// The protocol: https://cloud.google.com/storage/docs/performing-resumable-uploads. The type is pure; ``ObjectUpload``
/// carries out its decisions.
struct UploadProgress: Equatable {
  /// The number of bytes of the object that the service has confirmed.
  private(set) var confirmed = 0

  /// The service's response concerning the upload.
  enum Answer: Equatable {
    /// 308: it has the bytes before an offset, which is 0 if the response has no range.
    case incomplete(persisted: Int)
    /// 200 or 201: the object exists.
    case complete
    /// 404 or 410: it does not know the session.
    case unknownSession
    /// 412: the object is not in the expected state.
    case preconditionFailed
  }

  /// What to do next.
  enum Step: Equatable {
    /// Send the bytes of the piece, starting at this offset of the object.
    case send(from: Int)
    /// The piece has arrived; more are expected.
    case pieceDone
    /// The object exists.
    case finished
    /// Determine from the object itself whether the upload was completed.
    case lookAtObject
    /// Somebody else has changed the object.
    case refused
    /// The response contradicts what was sent.
    case foreign(String)
  }

  /// Decides on a response to a piece or to a query about the upload.
  ///
  /// - Parameters:
  ///   - piece: The offsets of the bytes that are available.
  ///   - isLast: Whether the object ends with them.
  mutating func step(after answer: Answer, piece: Range<Int>, isLast: Bool) -> Step {
    switch answer {
    case .complete: return isLast ? .finished : .foreign("the upload was completed before its end")
    case .unknownSession: return .lookAtObject
    case .preconditionFailed: return .refused
    case .incomplete(let persisted):
      if persisted > piece.upperBound {
        return .foreign("the service has \(persisted) bytes, and \(piece.upperBound) were sent")
      }
      let kept = max(piece.lowerBound, confirmed)
      if persisted < kept {
        return .foreign("the service has lost \(kept - persisted) bytes that it had confirmed")
      }
      confirmed = persisted
      // All bytes of the last piece may have arrived before the object exists; sending its end again completes it.
      if persisted == piece.upperBound, !isLast { return .pieceDone }
      return .send(from: persisted)
    }
  }

  /// Parses the `Range` header of status 308: `bytes=0-42` means 43 bytes; returns nil for any other form.
  static func persisted(range: String?) -> Int? {
    guard let range else { return 0 }
    guard range.hasPrefix("bytes=0-"), let last = Int(count: range.dropFirst("bytes=0-".count)) else {
      return nil
    }
    return last + 1
  }

  /// Returns the `Content-Range` of bytes.
  ///
  /// - Parameter total: The size of the object, if the bytes are its last ones.
  static func contentRange(_ range: Range<Int>, total: Int?) -> String {
    let whole = total.map { String($0) } ?? "*"
    return range.isEmpty ? "bytes */\(whole)" : "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(whole)"
  }
}
