/// The words for true and false that people type or spreadsheets save, in lower case: in English, Spanish, Portuguese,
/// German and French.
package enum BooleanWords {
  package static let truth = [
    "true": true, "verdadero": true, "verdadeiro": true, "wahr": true, "vrai": true,
    "yes": true, "sí": true, "si": true, "sim": true, "ja": true, "oui": true,
    "false": false, "falso": false, "falsch": false, "faux": false,
    "no": false, "não": false, "nao": false, "nein": false, "non": false,
  ]
}
