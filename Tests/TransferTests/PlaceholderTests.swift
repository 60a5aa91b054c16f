import Testing

@testable import Transfer
