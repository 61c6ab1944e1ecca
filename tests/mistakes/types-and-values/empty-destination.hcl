# expect: empty-value at 4:17 |""| `destination` must not be empty

file.content "motd" {
  destination = ""
}
