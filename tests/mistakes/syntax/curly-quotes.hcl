# expect: wrong-quotes at 4:17 |“| a string is written in double quotes

file.content "motd" {
  destination = “/tmp/motd”
}
