# expect: ? at 4:17 |""| destination

file.content "motd" {
  destination = ""
}
