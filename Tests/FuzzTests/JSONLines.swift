import CZlib
import FirestoreModels
import Platform

@testable import Tables

/// A file of JSON Lines as it stands, and where it begins with `z`, what follows compressed and not, which must read
/// the same.
func fuzzJSONLines(_ input: [UInt8]) {
  guard input.first == UInt8(ascii: "z") else {
    _ = read(input)
    return
  }
  let text = Array(input.dropFirst())
  if text.starts(with: [0x1F, 0x8B]) { return }
  let plain = read(text)
  expect(plain == read(gzip(text)), "compressed lines read otherwise than plain ones")
  for line in plain {
    guard case .document(let document) = line, DatabaseName.split(document.path.string) == nil else {
      continue
    }
    var json = JSONWriter()
    json.document(document, in: nil, times: false)
    expect(read(json.bytes) == [line], "a line is another after it was written and read")
  }
}

private enum Line: Equatable {
  case document(RawDocument)
  case refused
  case end
}

private func read(_ bytes: [UInt8]) -> [Line] {
  inMemory(bytes) { path in
    var lines: [Line] = []
    do throws(Failure) {
      var reader = try JSONLinesReader(path, maximumLineBytes: 1 << 16)
      var last = 0
      while let line = try reader.next() {
        expect(line.number > last, "line numbers do not rise")
        last = line.number
        switch line.document {
        case .success(let document): lines.append(.document(document))
        case .failure: lines.append(.refused)
        }
      }
    } catch {
      lines.append(.end)
    }
    return lines
  }
}

/// A gzip file of stored blocks, which a change of the text does not break.
private func gzip(_ text: [UInt8]) -> [UInt8] {
  var out: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
  var start = 0
  repeat {
    let end = min(start + 4000, text.count)
    let count = UInt16(end - start)
    out.append(end == text.count ? 1 : 0)
    out += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8)]
    out += text[start..<end]
    start = end
  } while start < text.count
  let sum = UInt32(
    truncatingIfNeeded: text.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32(text.count)) }
  )
  for word in [sum, UInt32(text.count)] {
    for shift in [UInt32(0), 8, 16, 24] { out.append(UInt8(truncatingIfNeeded: word >> shift)) }
  }
  return out
}

/// Runs `body` with the path of a file that holds `bytes`, in memory where the system has a folder for that.
func inMemory<Result>(_ bytes: [UInt8], _ body: (String) -> Result) -> Result {
  let folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
  let path = "\(folder)/gymmigrate-fuzz-\(getpid())"
  let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
  expect(descriptor >= 0, "there is no file to fuzz with")
  defer {
    close(descriptor)
    unlink(path)
  }
  var written = 0
  while written < bytes.count {
    let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    expect(count > 0, "the file cannot be written")
    written += count
  }
  return body(path)
}
