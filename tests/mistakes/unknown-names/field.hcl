# expect: unknown-field at 4:3 |destnation| unknown field `destnation`

file.content "motd" {
  destnation = "motd.txt"
}
