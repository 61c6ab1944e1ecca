# expect: ? at 5:17 |-1| -1

file.owner "motd" {
  destination = "motd.txt"
  uid         = -1
}
