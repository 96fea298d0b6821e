/// Decides which of a workbook's exact values belong to a sheet, by the names of the sheets, as the export gave them where a
/// mark says so.
///
/// They are stored under the name that the sheet had in the export. Failing that, for `users (2)`, they are under the name of
/// the sheet that it continues, and for a renamed sheet under names that no sheet has any more.
struct ExactValueOwners {
  enum Decision {
    /// They belong to another sheet.
    case other
    /// They belong to the sheet, as do the earlier ones.
    case same
    /// They belong to the sheet, in place of the earlier ones.
    case better
  }

  private enum Rank: Int {
    case own, continued, orphaned, none
  }

  private let sheet: [UInt8]
  private let names: Set<[UInt8]>
  private let isOfAll: Bool
  private var best = Rank.orphaned
  private var last: (owner: [UInt8], rank: Rank)?

  init(of sheet: String, among names: [String]) {
    self.sheet = Array(sheet.utf8)
    self.names = Set(names.map { Array($0.utf8) })
    isOfAll = false
  }

  private init() { (sheet, names, isOfAll) = ([], [], true) }

  /// Takes the values of every sheet.
  static let all = ExactValueOwners()

  /// Decides on values that are stored under a name.
  mutating func take(_ owner: UnsafeBufferPointer<UInt8>) -> Decision {
    if isOfAll { return .same }
    let rank: Rank
    if let last, owner.elementsEqual(last.owner) {
      rank = last.rank
    } else {
      rank = self.rank(of: Array(owner))
      last = (Array(owner), rank)
    }
    if rank == .none || rank.rawValue > best.rawValue { return .other }
    if rank == best { return .same }
    best = rank
    return .better
  }

  private func rank(of owner: [UInt8]) -> Rank {
    if owner == sheet { return .own }
    if let stem, owner == stem || (sheet.count >= SheetNames.maximumLength && owner.starts(with: stem)) {
      return .continued
    }
    return names.contains(owner) ? .none : .orphaned
  }

  /// The name without the number of a sheet that continues another: `users` for `users (2)`.
  private var stem: [UInt8]? {
    guard sheet.last == UInt8(ascii: ")"), let open = sheet.lastIndex(of: UInt8(ascii: "(")), open > 1,
      sheet[open - 1] == 0x20,
      sheet[(open + 1)...].dropLast().allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 })
    else { return nil }
    return Array(sheet[..<(open - 1)])
  }
}
