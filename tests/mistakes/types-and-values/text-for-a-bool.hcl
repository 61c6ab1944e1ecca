# expect: not-a-bool at 6:17 |"yes"| "yes" is not a boolean

file.owner "motd" {
  destination = "motd.txt"
  user        = "daemon"
  recursive   = "yes"
}
