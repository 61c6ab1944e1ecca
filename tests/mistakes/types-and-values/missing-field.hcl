# expect: ? at 3:1 |file.content "motd"| destination

file.content "motd" {
  content = "hello"
}
