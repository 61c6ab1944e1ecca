# expect: ? at 4:20 |\q| escape

file.content "motd" {
  destination = "C:\qmotd.txt"
}
