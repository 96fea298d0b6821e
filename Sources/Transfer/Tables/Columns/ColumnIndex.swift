import Platform

/// The members of the nested maps of a table's documents, with their columns, in byte order of their names.
///
/// It is searched for every field of every row, so it is flat: a search through a ``Table`` does no reference counting and
/// mostly compares a single word.
struct ColumnIndex: Sendable {
  /// A name with its head.
  struct Name {
    let bytes: UnsafeBufferPointer<UInt8>
    let head: UInt64

    @inline(__always)
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      self.bytes = bytes
      head = bytes.head
    }
  }

  /// The destination of a member's values: a column, or the columns of its own members, depending on the document.
  struct Member: Sendable {
    fileprivate let head: UInt64
    fileprivate let start: Int
    fileprivate let count: Int
    var column: Int?
    /// The level of its members.
    var level: Int?
  }

  /// The members of a map, a piece of ``members``.
  struct Level: Sendable {
    fileprivate var start: Int
    fileprivate var count: Int
  }

  private var members: [Member] = []
  private var levels = [Level(start: 0, count: 0)]
  private var names: [UInt8] = []
  private var paths: [[String]] = [[]]

  /// Returns the path of the map whose members are at a level.
  func path(of level: Int) -> [String] { paths[level] }

  subscript(level: Int, at: Int) -> Member {
    @inline(__always) get { members[levels[level].start + at] }
    set { members[levels[level].start + at] = newValue }
  }

  /// Calls `body` with the members, which must not escape.
  func withTable<Result, Failure>(_ body: (Table) throws(Failure) -> Result) throws(Failure) -> Result {
    try members.withUnsafeBufferPointer { members throws(Failure) in
      try levels.withUnsafeBufferPointer { levels throws(Failure) in
        try names.withUnsafeBufferPointer { names throws(Failure) in
          try body(Table(members: members, levels: levels, names: names))
        }
      }
    }
  }

  /// Advances `at` to the member of a level with that name, or to where it would be inserted.
  func seek(_ name: Name, in level: Int, from at: inout Int) -> Bool {
    var position = at
    let found = withTable { $0.seek(name, in: level, from: &position) }
    at = position
    return found
  }

  /// The members, for reading.
  struct Table {
    fileprivate let members: UnsafeBufferPointer<Member>
    fileprivate let levels: UnsafeBufferPointer<Level>
    fileprivate let names: UnsafeBufferPointer<UInt8>

    @inline(__always)
    subscript(level: Int, at: Int) -> Member { members[levels[level].start + at] }

    /// Does the same as ``ColumnIndex/seek(_:in:from:)``.
    @inline(__always)
    func seek(_ name: Name, in level: Int, from at: inout Int) -> Bool {
      let level = levels[level]
      while at < level.count {
        let order = order(of: members[level.start + at], name)
        if order >= 0 { return order == 0 }
        at += 1
      }
      return false
    }

    @inline(__always)
    private func order(of member: Member, _ name: Name) -> Int {
      if member.head != name.head { return member.head < name.head ? -1 : 1 }
      if member.count <= 8 || name.bytes.count <= 8 { return member.count - name.bytes.count }
      return orderOfTails(member, name)
    }

    private func orderOfTails(_ member: Member, _ name: Name) -> Int {
      guard let a = names.baseAddress, let b = name.bytes.baseAddress else { return 0 }
      let order = Int(memcmp(a + member.start + 8, b + 8, min(member.count, name.bytes.count) - 8))
      return order == 0 ? member.count - name.bytes.count : order
    }
  }

  /// Adds a member to a level, where ``seek(_:in:from:)`` ended.
  mutating func insert(_ name: Name, in level: Int, at: Int) {
    let position = levels[level].start + at
    members.insert(Member(head: name.head, start: names.count, count: name.bytes.count), at: position)
    names.append(contentsOf: name.bytes)
    for other in levels.indices where other != level {
      // An empty level at the same position stays before this one, not inside of it.
      let isBehind = levels[other].start == position && (at > 0 || levels[other].count > 0)
      if isBehind || levels[other].start > position { levels[other].start += 1 }
    }
    levels[level].count += 1
  }

  /// Returns the level of a member's members, creating it if necessary.
  mutating func openLevel(below level: Int, at: Int, named name: String) -> Int {
    if let level = self[level, at].level { return level }
    levels.append(Level(start: members.count, count: 0))
    paths.append(paths[level] + [name])
    self[level, at].level = levels.count - 1
    return levels.count - 1
  }
}
