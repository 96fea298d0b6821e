// swift-format-ignore-file
// As the page has it.
#if !canImport(Combine)
  /// What the cache needs of Combine where there is none, as on Linux.
  protocol ObservableObject: AnyObject {}

  @propertyWrapper struct Published<Value> {
    var wrappedValue: Value
  }
#endif
