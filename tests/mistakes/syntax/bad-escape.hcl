# expect: invalid-escape at 4:20 |\q| unknown escape `\q`

file.content "motd" {
  destination = "C:\qmotd.txt"
}
