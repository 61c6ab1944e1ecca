# expect: expression at 5:30 |0| division by zero

file.content "motd" {
  destination = "motd.txt"
  content     = tostring(1 / 0)
}
