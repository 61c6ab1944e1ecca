# expect: ? at 5:3 |user| uid

file.owner "motd" {
  destination = "motd.txt"
  user        = "daemon"
  uid         = 1
}
