# expect: wrong-quotes at 3:14 |'| a string is written in double quotes

file.content 'motd' {
  destination = "/tmp/motd"
}
