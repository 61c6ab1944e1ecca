# expect: ? at 3:1 |file.contnet| file.contnet

file.contnet "motd" {
  destination = "motd.txt"
}
