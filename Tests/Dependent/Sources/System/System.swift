/// The name of this target, which no target of Sonde has.
public let name = "System of its own"
