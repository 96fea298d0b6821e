/// A type whose typed fields are accessible as its members, unwrapped to plain Swift types.
///
/// `app.index` is `app.fields.index.integerValue`, and `app.iconURL` is nil if the optional field is. A
/// property of the type itself hides a field of the same name (such as `name` of ``Document``), which remains
/// accessible as `app.fields.name`.
@dynamicMemberLookup
public protocol FieldAccess<Fields> {
  /// A struct whose properties are the fields.
  associatedtype Fields

  var fields: Fields { get }
}

extension FieldAccess {
  /// The plain value of a typed field.
  public subscript<Typed: TypedValue>(dynamicMember member: KeyPath<Fields, Typed>) -> Typed.Plain {
    fields[keyPath: member].plain
  }

  /// The plain value of an optional typed field; nil if it is absent.
  public subscript<Typed: TypedValue>(dynamicMember member: KeyPath<Fields, Typed?>) -> Typed.Plain? {
    fields[keyPath: member]?.plain
  }

  /// A field of any other type.
  public subscript<Member>(dynamicMember member: KeyPath<Fields, Member>) -> Member {
    fields[keyPath: member]
  }
}

/// A type whose typed fields can also be set as its members.
@dynamicMemberLookup
public protocol MutableFieldAccess<Fields>: FieldAccess {
  var fields: Fields { get set }
}

extension MutableFieldAccess {
  /// The plain value of a typed field.
  public subscript<Typed: TypedValue>(dynamicMember member: WritableKeyPath<Fields, Typed>) -> Typed.Plain {
    get { fields[keyPath: member].plain }
    set { fields[keyPath: member].plain = newValue }
  }

  /// The plain value of an optional typed field; setting nil removes the field.
  public subscript<Typed: TypedValue>(dynamicMember member: WritableKeyPath<Fields, Typed?>) -> Typed.Plain?
  {
    get { fields[keyPath: member]?.plain }
    set { fields[keyPath: member] = newValue.map { Typed($0) } }
  }

  /// A field of any other type.
  public subscript<Member>(dynamicMember member: WritableKeyPath<Fields, Member>) -> Member {
    get { fields[keyPath: member] }
    set { fields[keyPath: member] = newValue }
  }
}
