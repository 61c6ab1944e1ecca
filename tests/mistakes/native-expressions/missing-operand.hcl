# expect: ? at 5:23 operand

file.content "motd" {
  destination = "motd.txt"
  content     = "a" ==
}
