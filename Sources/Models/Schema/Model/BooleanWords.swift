/// The words for true and false that people type, in lower case.
package enum BooleanWords {
  package static let truth = [
    "true": true, "verdadero": true, "sí": true, "si": true, "yes": true,
    "false": false, "falso": false, "no": false,
  ]
}
