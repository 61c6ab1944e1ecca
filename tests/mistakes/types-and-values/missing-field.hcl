# expect: missing-field at 3:1 |file.content "motd"| `destination` is required

file.content "motd" {
  content = "hello"
}
