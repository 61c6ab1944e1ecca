# expect: ? at 3:1 |file.content| name

file.content {
  destination = "motd.txt"
}
