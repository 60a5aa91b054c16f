import Testing

@testable import Addresses
