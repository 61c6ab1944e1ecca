# expect: ? at 5:16 value

file.content "motd" {
  destination = "motd.txt"
  content     =
}
