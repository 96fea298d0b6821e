/// What has typed fields that are read as its own members, unwrapped to plain Swift types.
///
/// `app.index` is `app.fields.index.integerValue`, and `app.iconURL` is nil where the optional field is. A property
/// of the type itself hides a field of the same name (`name` of a ``Document``): that one is `app.fields.name`.
@dynamicMemberLookup
package protocol FieldAccess<Fields> {
  /// The struct whose properties are the fields.
  associatedtype Fields

  /// The fields.
  var fields: Fields { get }
}

extension FieldAccess {
  /// Reads a typed field as its plain value.
  package subscript<Typed: TypedValue>(dynamicMember member: KeyPath<Fields, Typed>) -> Typed.Plain {
    fields[keyPath: member].plain
  }

  /// Reads an optional typed field as its plain value, nil where it is absent.
  package subscript<Typed: TypedValue>(dynamicMember member: KeyPath<Fields, Typed?>) -> Typed.Plain? {
    fields[keyPath: member]?.plain
  }

  /// Reads a field of any other type.
  package subscript<Member>(dynamicMember member: KeyPath<Fields, Member>) -> Member {
    fields[keyPath: member]
  }
}

/// What has typed fields that are also written as its own members.
@dynamicMemberLookup
package protocol MutableFieldAccess<Fields>: FieldAccess {
  /// The fields.
  var fields: Fields { get set }
}

extension MutableFieldAccess {
  /// Reads or writes a typed field as its plain value.
  package subscript<Typed: TypedValue>(dynamicMember member: WritableKeyPath<Fields, Typed>) -> Typed.Plain {
    get { fields[keyPath: member].plain }
    set { fields[keyPath: member].plain = newValue }
  }

  /// Reads or writes an optional typed field as its plain value; writing nil removes the field.
  package subscript<Typed: TypedValue>(dynamicMember member: WritableKeyPath<Fields, Typed?>) -> Typed.Plain?
  {
    get { fields[keyPath: member]?.plain }
    set { fields[keyPath: member] = newValue.map { Typed($0) } }
  }

  /// Reads or writes a field of any other type.
  package subscript<Member>(dynamicMember member: WritableKeyPath<Fields, Member>) -> Member {
    get { fields[keyPath: member] }
    set { fields[keyPath: member] = newValue }
  }
}
