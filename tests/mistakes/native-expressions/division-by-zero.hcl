# expect: ? at 5:26 |1 / 0| zero

file.content "motd" {
  destination = "motd.txt"
  content     = tostring(1 / 0)
}
