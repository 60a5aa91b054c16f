import CSQLite
import SondeAccounts
import SondeAddresses
import SondeReachability
import SondeTransfer
import SondeWeb
import SondeWebApp
import System

let client = try HTTPClient(configuration: HTTPClient.Configuration(userAgent: "dependent/1.0"))
let refusal: String
do {
  _ = try await client.send(Request(url: "http://127.0.0.1:1/"))
  refusal = "answered"
} catch {
  refusal = "refused"
}
print(name, own_version(), Address("8.8.8.8").map { "\($0)" } ?? "no address", refusal)
