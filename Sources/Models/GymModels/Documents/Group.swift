package import TypedDocuments

/// A group, as the app decodes it: a missing field or one of another type is an error, and unknown fields are ignored.
///
///     let group = try Group(document)
///     print(group.name, group.memberCount)
package struct Group: Codable, Identifiable, Equatable, Sendable {
  @DocumentID package var id: String?
  package var name: String
  package var createdAt: Timestamp
  /// The ID of the user who created it.
  package var createdBy: String
  /// The number of documents in its `members` subcollection.
  package var memberCount: Int
  /// Whether the group is in use; true if the field is missing.
  package var isActive: Bool

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    _id = try fields.decode(DocumentID.self, forKey: .id)
    name = try fields.decode(String.self, forKey: .name)
    createdAt = try fields.decode(Timestamp.self, forKey: .createdAt)
    createdBy = try fields.decode(String.self, forKey: .createdBy)
    memberCount = try fields.decode(Int.self, forKey: .memberCount)
    isActive = try fields.decodeIfPresent(Bool.self, forKey: .isActive) ?? true
  }

  /// - Throws: `DecodingError` if a field is missing or has another type.
  package init(_ document: RawDocument) throws {
    self = try FirestoreDecoder().decode(Self.self, from: document)
  }
}

/// A member of a group, as the app decodes it; its ID is the user's.
package struct GroupMember: Codable, Identifiable, Equatable, Sendable {
  @DocumentID package var id: String?
  package var displayName: String
  package var photoURL: String?
  package var joinedAt: Timestamp
  /// `admin` or `member`.
  package var role: String
  /// Whether the member is active; true if the field is missing.
  package var isActive: Bool

  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    _id = try fields.decode(DocumentID.self, forKey: .id)
    displayName = try fields.decode(String.self, forKey: .displayName)
    photoURL = try fields.decodeIfPresent(String.self, forKey: .photoURL)
    joinedAt = try fields.decode(Timestamp.self, forKey: .joinedAt)
    role = try fields.decode(String.self, forKey: .role)
    isActive = try fields.decodeIfPresent(Bool.self, forKey: .isActive) ?? true
  }

  /// - Throws: `DecodingError` if a field is missing or has another type.
  package init(_ document: RawDocument) throws {
    self = try FirestoreDecoder().decode(Self.self, from: document)
  }
}
