import GymMigrations
import GymModels
import Logging

struct EmailAccounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accounts",
    abstract: "Show the accounts of one person.",
    discussion: """
      Finds users that share an email address, as the index has it, or a phone number, by its digits, and prints one line \
      each, person by person: the number of the person, id, name, email, phone, role, what is shared, separated by tabs. \
      Reads all users, and writes nothing.

        gymmigrate email accounts -e stage
        gymmigrate email accounts lia.cardenas@example.com -e stage
        gymmigrate email accounts -e stage -o accounts.xlsx --header spanish
      """
  )

  @Argument(help: "An address: only the accounts of the person who has it.")
  var address: String?

  @OptionGroup var table: GymTableOptions
  @OptionGroup var common: PrintingOptions

  func validate() throws { if let address { try EmailCommand.validate(address) } }

  func run() async throws {
    try await common.perform("email accounts") { session in
      try session.schema.assertGym("email")
      let counts = session.counts
      let all = try await SharedAccounts.find(in: session.client) { count in
        counts.update(GymCollection.users) { $0.read += count }
      }
      let accounts = address.map { SharedAccounts.ofPerson(with: $0, among: all) } ?? all
      if accounts.isEmpty, address != nil {
        let notice = table.text(
          "No user with this address shares it, or a number, with another; 'gymmigrate find' looks people up.",
          "Ningún usuario con este correo lo comparte, ni su teléfono, con otro; 'gymmigrate find' busca personas."
        )
        session.logger.notice("\(notice)")
      } else if accounts.isEmpty {
        let notice = table.text(
          "No two users share an address or a number.",
          "Ningún usuario comparte un correo o un teléfono con otro."
        )
        session.logger.notice("\(notice)")
      }
      func shared(_ account: SharedAccounts.Account) -> String {
        account.shares.map { $0 == "phone" ? table.text("phone", "teléfono") : table.text("email", "correo") }
          .joined(separator: ", ")
      }
      let rows = accounts.map { account in
        var row = account.row
        row.fields["shares"] = .string(shared(account))
        return row
      }
      try table.write(rows, of: SharedAccounts.table, in: SharedAccounts.schema) {
        $0.member("accounts", objects: accounts) {
          $0.member("email", $1.user.email)
          $0.member("id", $1.id)
          $0.member("isActive", $1.user.isActive)
          $0.member("name", $1.user.fullName)
          $0.member("person", $1.person)
          $0.member("phone", $1.user.phone)
          $0.member("role", $1.user.role)
          $0.member("shares", $1.shares.joined(separator: ", "))
        }
      } lines: {
        accounts.map { account in
          let user = account.user
          return TerminalText(cells: [
            String(account.person), account.id, user.fullName ?? "-", user.email ?? "-", user.phone ?? "-",
            user.role ?? "-", shared(account),
          ])
        }
      }
      return table.result
    }
  }
}
