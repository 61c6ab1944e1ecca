# expect: unknown-type at 3:1 |file.contnet| unknown resource type `file.contnet`

file.contnet "motd" {
  destination = "motd.txt"
}
