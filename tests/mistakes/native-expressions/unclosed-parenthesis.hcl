# expect: ? at 5:22 |(| `)`

file.content "motd" {
  destination = "motd.txt"
  content     = upper("hello"
}
