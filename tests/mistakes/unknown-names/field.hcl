# expect: ? at 4:3 |destnation| destnation

file.content "motd" {
  destnation = "motd.txt"
}
