# expect: ? at 6:17 |"yes"| yes

file.owner "motd" {
  destination = "motd.txt"
  user        = "daemon"
  recursive   = "yes"
}
