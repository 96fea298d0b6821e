import FirestoreModels
import Foundation
import GymModels
import TestSupport
import Testing
import TypedDocuments

/// The gym's typed documents beside a reader that was written from the apps' own pages alone, property by property.
@Suite("The gym's documents as the apps read them", .timeLimit(.minutes(60)))
struct GymDocumentsTests {
  private struct Line: Decodable {
    var name: String
    var fields: FieldMap?
  }

  private static let reference = Samples.repository.appendingPathComponent("Tests/Oracle/app_reader.py").path

  /// The properties of a document that our types have, as JSON; nil for one that the types refuse, or that has none.
  private static func properties(of document: RawDocument) throws -> [String: Any?]? {
    // The reference writes a fraction without zeros at its end.
    func text(_ time: Timestamp?) -> String? {
      guard let text = time?.description, text.contains(".") else { return time?.description }
      return text.replacing(/\.?0*Z$/, with: "Z")
    }
    switch document.path.collection.pattern.string {
    case "users":
      let user = AppUser(document)
      return [
        "id": user.id, "email": user.email, "fullName": user.fullName, "phone": user.phone,
        "isActive": user.isActive, "role": user.role, "era": user.era.rawValue,
      ]
    case "groups":
      guard let group = try? Group(document) else { return nil }
      return [
        "id": group.id, "name": group.name, "createdAt": text(group.createdAt), "createdBy": group.createdBy,
        "memberCount": group.memberCount, "isActive": group.isActive,
      ]
    case "groups/*/members":
      guard let member = try? GroupMember(document) else { return nil }
      return [
        "id": member.id, "displayName": member.displayName, "photoURL": member.photoURL,
        "joinedAt": text(member.joinedAt), "role": member.role, "isActive": member.isActive,
      ]
    case "classes":
      let own = GymClass(document)
      return [
        "id": own.id, "name": own.name, "date": text(own.date), "startTime": own.startTime,
        "durationMinutes": own.durationMinutes ?? 0, "maxCapacity": own.maxCapacity ?? 0, "gymId": own.gymId,
        "description": own.description, "isActive": own.isActive, "recurrenceGroupId": own.recurrenceGroupId,
      ]
    case "classBookings":
      let booking = ClassBooking(document)
      return [
        "id": booking.id, "classId": booking.classId, "userId": booking.userId, "status": booking.status,
      ]
    case "classAttendance":
      let record = ClassAttendance(document)
      return [
        "id": record.id, "classId": record.classId, "userId": record.userId, "memberId": record.memberId,
        "attended": record.attended, "timestamp": text(record.timestamp),
      ]
    default: return nil
    }
  }

  /// A value as JSON, whose bytes differ where texts differ that are equal to Unicode.
  private static func json(_ value: Any?) throws -> Data {
    try JSONSerialization.data(withJSONObject: value ?? NSNull(), options: .fragmentsAllowed)
  }

  /// Compares every document of a folder, and returns how many of each collection there were.
  private func compare(_ folder: URL, _ what: String) async throws -> [String: Int] {
    var expected: [String: [String: Any]] = [:]
    let printed = try await Judge.python([Self.reference, folder.path])
    try #require(printed.exitCode == 0, "\(printed.errors.suffix(2000))")
    for line in printed.output.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let path = try #require(object?["path"] as? String)
      expected[path] = object?["properties"] as? [String: Any]
    }
    var compared: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
    where name.hasSuffix(".jsonl") {
      let data = try Data(contentsOf: folder.appendingPathComponent(name))
      for line in data.split(separator: 0x0A) {
        let decoded = try JSONDecoder().decode(Line.self, from: line)
        let path = try #require(DocumentPath(decoded.name))
        let document = RawDocument(path: path, fields: decoded.fields ?? FieldMap())
        guard let own = try Self.properties(of: document) else { continue }
        let other = try #require(expected[decoded.name], "\(what): \(decoded.name) is not in the reference")
        compared[path.collection.pattern.string, default: 0] += 1
        for (property, value) in own {
          let (mine, theirs) = (try Self.json(value), try Self.json(other[property]))
          #expect(mine == theirs, "\(what): \(decoded.name).\(property)")
        }
        #expect(Set(own.keys).isSubset(of: other.keys), "\(what): \(decoded.name)")
      }
    }
    return compared
  }

  @Test("Every document of the sample gym")
  func samples() async throws {
    let counts = try await compare(Samples.repository.appendingPathComponent("samples/gym"), "samples")
    #expect(
      counts == [
        "users": 400, "groups": 5, "groups/*/members": 20, "classes": 40, "classBookings": 200,
        "classAttendance": 200,
      ]
    )
  }

  @Test("Random documents of every type of value", arguments: Settings.seeds(3))
  func random(_ seed: UInt64) async throws {
    try await withTemporaryDirectory { folder in
      let made = try await Judge.python([Self.reference, "--random", String(seed), "3000"])
      try #require(made.exitCode == 0, "\(made.errors.suffix(2000))")
      try Data(made.standardOutput).write(to: folder.appendingPathComponent("random.jsonl"))
      let counts = try await compare(folder, "seed \(seed)")
      // Most are compared; of groups those that an app can decode.
      #expect(counts.count == 6 && counts.values.reduce(0, +) > 1500, "\(counts)")
    }
  }
}
