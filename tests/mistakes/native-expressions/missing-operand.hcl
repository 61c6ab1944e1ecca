# expect: missing-operand at 5:21 |==| no value after `==`

file.content "motd" {
  destination = "motd.txt"
  content     = "a" ==
}
