import Glibc

extension CommandBenchmarks {
  /// Measures the page of a summary of half a million addresses, where there is a browser.
  ///
  /// What drives the browser prints the table: see `page.py`.
  func page() throws {
    guard succeeds(["/usr/bin/python3", "-c", "import selenium"]) else { return }
    let script = "Tests/Benchmarks/page.py"
    let command = ["/usr/bin/python3", script, sonde, String(500_000 / scale)]
    let child = try ChildProcess(command, output: STDOUT_FILENO, messages: STDERR_FILENO)
    guard child.wait().status == 0 else { throw BenchmarkError("\(script) failed") }
  }
}
