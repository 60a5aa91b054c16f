/// Whether packet captures are accepted as inputs.
public enum CaptureRule: Sendable {
  /// They are refused with a message.
  case refused
  /// They are read if the content shows that they are captures.
  case recognized
  /// Every file is treated as a capture.
  case insisted
}
