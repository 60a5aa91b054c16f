import CSondeLoc
import Glibc
import SondeSystem
import TestSupport

/// Builds small libloc databases with libloc's own writer.
@safe
struct LibLocFile {
  struct Network {
    var block: String
    var country = ""
    var asn: UInt32 = 0
    var flags: UInt32 = 0
  }

  var networks: [Network]
  /// Names by number.
  var systems: KeyValuePairs<UInt32, String> = [:]
  /// Continent's code and name by code.
  var countries: KeyValuePairs<String, (String, String)> = [:]

  /// The bytes of the file.
  func bytes() throws -> [UInt8] {
    var context: OpaquePointer?
    var writer: OpaquePointer?
    guard unsafe loc_new(&context) == 0, unsafe loc_writer_new(context, &writer, nil, nil) == 0
    else { throw SystemError() }
    defer {
      unsafe loc_writer_unref(writer)
      unsafe loc_unref(context)
    }
    unsafe try add(to: writer)
    let file = try ScratchFile()
    guard let stream = unsafe fopen(file.path, "w+") else { throw SystemError() }
    let code = unsafe loc_writer_write(writer, stream, LOC_DATABASE_VERSION_1)
    guard unsafe fclose(stream) == 0, code == 0 else { throw SystemError() }
    return try contents(of: file.path)
  }

  private func add(to writer: OpaquePointer?) throws {
    for (number, name) in systems {
      var system: OpaquePointer?
      guard unsafe loc_writer_add_as(writer, &system, number) == 0 else {
        throw SystemError()
      }
      unsafe loc_as_set_name(system, name)
      unsafe loc_as_unref(system)
    }
    for (code, texts) in countries {
      var country: OpaquePointer?
      guard unsafe loc_writer_add_country(writer, &country, code) == 0 else {
        throw SystemError()
      }
      unsafe loc_country_set_continent_code(country, texts.0)
      unsafe loc_country_set_name(country, texts.1)
      unsafe loc_country_unref(country)
    }
    for network in networks {
      var pointer: OpaquePointer?
      guard unsafe loc_writer_add_network(writer, &pointer, network.block) == 0 else {
        throw SystemError()
      }
      unsafe loc_network_set_country_code(pointer, network.country)
      unsafe loc_network_set_asn(pointer, network.asn)
      unsafe loc_network_set_flag(pointer, network.flags)
      unsafe loc_network_unref(pointer)
    }
  }
}
